package verdict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"time"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// tape writes a timeline by hand: each event some time after the one before it.
type tape struct {
	out bytes.Buffer
	w   *timeline.Writer
	now time.Duration
	seq int
	uid int
	// operator makes the pods; "" is nobody.
	operator string
}

func newTape() *tape {
	t := &tape{}
	t.w = timeline.NewWriter(&t.out)
	return t
}

func (t *tape) add(after string, e timeline.Event) {
	d, err := time.ParseDuration(after)
	if err != nil {
		panic(err)
	}
	t.now += d
	t.seq++
	e.Seq, e.At = t.seq, timeline.Time(t.now)
	if err := t.w.Write(e); err != nil {
		panic(err)
	}
}

func (t *tape) begin(run string, spec scenario.Spec) {
	t.now, t.seq = 0, 0
	text, err := json.Marshal(scenario.Scenario{Metadata: scenario.Metadata{Name: "toy"}, Spec: spec})
	if err != nil {
		panic(err)
	}
	t.add("0s", timeline.Event{Begin: &timeline.Begin{
		Format: timeline.Format, Run: run, Case: "toy", Backend: "b", Version: "v1.0.0", Kubernetes: "v1.34.4",
		Scheduler: "s", Binder: "binder", Grouped: run == timeline.Subject, Operator: t.operator,
		Settle: timeline.Time(3 * time.Second), Patience: 1, Scenario: text,
	}})
}

func (t *tape) node(name string, gpus int64) {
	t.add("1ms", timeline.Event{Node: &timeline.Node{Name: name, Ready: true, Allocatable: timeline.Resources{timeline.GPU: gpus, "pods": 110}}})
}

// gang submits a gang with its group; its pods ask for one GPU each.
func (t *tape) gang(name string, size int) []*timeline.Pod {
	t.add("1ms", timeline.Event{Gang: &timeline.Gang{Name: name, Min: size, Size: size}})
	t.group(name, int64(size))
	var pods []*timeline.Pod
	for i := range size {
		t.uid++
		p := &timeline.Pod{
			UID: fmt.Sprint(t.uid), Name: fmt.Sprintf("%s-%d", name, i), Gang: name, Role: "worker", Key: name,
			Scheduler: "s", Requests: timeline.Resources{timeline.GPU: 1}, Phase: "Pending",
		}
		pods = append(pods, p)
		t.pod("1ms", p)
	}
	return pods
}

func (t *tape) group(name string, least int64) {
	t.add("1ms", timeline.Event{Group: &timeline.Group{Name: name, Min: least}})
}

func (t *tape) pod(after string, p *timeline.Pod) {
	now := *p
	t.add(after, timeline.Event{Pod: &now})
}

func (t *tape) bind(after, node string, pods ...*timeline.Pod) {
	for _, p := range pods {
		p.Node = node
		t.pod(after, p)
		after = "1ms"
	}
}

func (t *tape) expect(index int, begin bool) {
	t.add("1ms", timeline.Event{Step: &timeline.Step{Index: index, Op: "expect", Done: !begin}})
}

func (t *tape) end(after string) { t.add(after, timeline.Event{End: &timeline.End{}}) }

func (t *tape) bytes() []byte {
	if err := t.w.Flush(); err != nil {
		panic(err)
	}
	return t.out.Bytes()
}

func expect(glob string, bound string, within, lasting time.Duration) scenario.Step {
	e := &scenario.Expect{Gang: glob, Bound: &scenario.Bound{Word: bound}}
	e.Within, e.For = scenario.Duration(within), scenario.Duration(lasting)
	return scenario.Step{Expect: e}
}

// shortage expects nothing bound for 10s, on the default scheduler partly bound.
var shortage = scenario.Spec{
	Steps:   []scenario.Step{expect("a", "none", 0, 10*time.Second)},
	Control: scenario.Control{Scheduler: scenario.DefaultScheduler, Breaks: scenario.AllOrNothing},
}

// capacity expects all bound within 30s, and nothing with the scheduler stopped.
var capacity = scenario.Spec{
	Steps:   []scenario.Step{expect("a", "all", 30*time.Second, 0)},
	Control: scenario.Control{Scheduler: scenario.StoppedScheduler},
}

// holdsBack is a subject that does the right thing on shortage.
func holdsBack(t *tape) { holdsBackOn(t, shortage) }

func holdsBackOn(t *tape, spec scenario.Spec) {
	t.begin(timeline.Subject, spec)
	t.node("n1", 1)
	t.gang("a", 2)
	t.expect(1, true)
	t.add("10s", timeline.Event{Step: &timeline.Step{Index: 1, Op: "expect", Done: true}})
	t.end("1ms")
}

// bindsOne is a run that binds one of two pods, and keeps it.
func bindsOne(t *tape, run string) { bindsOneOn(t, run, shortage) }

func bindsOneOn(t *tape, run string, spec scenario.Spec) {
	t.begin(run, spec)
	t.node("n1", 1)
	pods := t.gang("a", 2)
	t.expect(1, true)
	t.bind("1s", "n1", pods[0])
	t.add("9s", timeline.Event{Step: &timeline.Step{Index: 1, Op: "expect", Done: true}})
	t.end("1ms")
}

// bindsAll is a subject that does the right thing on capacity.
func bindsAll(t *tape) {
	t.begin(timeline.Subject, capacity)
	t.node("n1", 2)
	pods := t.gang("a", 2)
	t.expect(1, true)
	t.bind("1s", "n1", pods...)
	t.expect(1, false)
	t.end("1ms")
}

// bindsNone is the control of it: the scheduler is stopped.
func bindsNone(t *tape, stopped string) {
	t.begin(timeline.Control, capacity)
	t.add("1ms", timeline.Event{Component: &timeline.Component{Name: stopped, State: timeline.Stopped}})
	t.node("n1", 2)
	t.gang("a", 2)
	t.expect(1, true)
	t.add("8s", timeline.Event{Step: &timeline.Step{Index: 1, Op: "expect", Done: true}})
	t.end("1ms")
}
