package verdict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"

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

func TestOutcomes(t *testing.T) {
	tests := map[string]struct {
		write  func(*tape)
		want   Outcome
		reason string // a part of it
	}{
		"shortage, held back":        {func(t *tape) { holdsBack(t); bindsOne(t, timeline.Control) }, Pass, ""},
		"shortage, partly bound":     {func(t *tape) { bindsOne(t, timeline.Subject); bindsOne(t, timeline.Control) }, Fail, "1 of 2 pods of a are bound: a-0 on n1 at 1.00"},
		"capacity, bound":            {func(t *tape) { bindsAll(t); bindsNone(t, "binder") }, Pass, ""},
		"no control":                 {holdsBack, Inconclusive, "no control run"},
		"control holds back, too":    {func(t *tape) { holdsBack(t); t.begin(timeline.Control, shortage); controlHoldsBack(t) }, Inconclusive, "on the default scheduler, all-or-nothing held"},
		"another component stopped":  {func(t *tape) { bindsAll(t); bindsNone(t, "bystander") }, Inconclusive, "the scheduler was never stopped"},
		"a component exits":          {func(t *tape) { exits(t); bindsOne(t, timeline.Control) }, Inconclusive, "binder exited by itself at 1.0"},
		"a watch is cut":             {func(t *tape) { cut(t); bindsOne(t, timeline.Control) }, Inconclusive, "the watch of pods was cut"},
		"no expectation was reached": {func(t *tape) { t.begin(timeline.Subject, shortage); t.end("1s") }, Inconclusive, "came to no expectation"},
		"too late":                   {tooLate, Fail, "met only after 31."},
		"watched too briefly":        {func(t *tape) { brief(t); bindsOne(t, timeline.Control) }, Fail, "watched for only 1."},
		"bound with no scheduler":    {func(t *tape) { bindsAll(t); boundWithout(t) }, Inconclusive, "with the scheduler stopped, a-0 was bound to n1"},
		"forbidden":                  {func(t *tape) { forbidden(t); bindsNone(t, "binder") }, Fail, "forbidden: system:serviceaccount:x may not create pods/binding (7 times)"},
		"no scheduler looked":        {func(t *tape) { forbidden(t); bindsNone(t, "binder") }, Fail, "no scheduler has said anything of a-0"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tape := newTape()
			test.write(tape)
			v, err := Judge(bytes.NewReader(tape.bytes()))
			if err != nil {
				t.Fatal(err)
			}
			if v.Outcome != test.want || !strings.Contains(v.Reason, test.reason) {
				t.Errorf("got %s, %q\nwant %s, with %q", v.Outcome, v.Reason, test.want, test.reason)
			}
		})
	}
}

// A control that breaks another property than the case's: enough where an operator made
// the pods of jobs.
func TestJobsBreak(t *testing.T) {
	spec := shortage
	spec.Control = scenario.Control{Scheduler: scenario.DefaultScheduler, Breaks: scenario.Deadlock, JobsBreak: scenario.AllOrNothing}
	for operator, want := range map[string]Outcome{"": Inconclusive, "training-operator@v1.9.3/TFJob": Pass} {
		tape := newTape()
		tape.operator = operator
		holdsBackOn(tape, spec)
		bindsOneOn(tape, timeline.Control, spec)
		v, err := Judge(bytes.NewReader(tape.bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if v.Outcome != want {
			t.Errorf("operator %q: got %s, %q, want %s", operator, v.Outcome, v.Reason, want)
		}
	}
}

func controlHoldsBack(t *tape) {
	t.gang("a", 2)
	t.expect(1, true)
	t.add("10s", timeline.Event{Step: &timeline.Step{Index: 1, Op: "expect", Done: true}})
	t.end("1ms")
}

func exits(t *tape) {
	t.begin(timeline.Subject, shortage)
	t.gang("a", 2)
	t.expect(1, true)
	t.add("1s", timeline.Event{Component: &timeline.Component{Name: "binder", State: timeline.Exited, Detail: "signal: killed"}})
	t.expect(1, false)
	t.end("1ms")
}

func cut(t *tape) {
	t.begin(timeline.Subject, shortage)
	t.add("1s", timeline.Event{Cut: &timeline.Cut{What: "pods", Err: "gone"}})
	controlHoldsBack(t)
}

func brief(t *tape) {
	t.begin(timeline.Subject, shortage)
	t.gang("a", 2)
	t.expect(1, true)
	t.add("1s", timeline.Event{Step: &timeline.Step{Index: 1, Op: "expect", Done: true}})
	t.end("1ms")
}

func tooLate(t *tape) {
	t.begin(timeline.Subject, capacity)
	pods := t.gang("a", 2)
	t.expect(1, true)
	t.bind("31s", "n1", pods...)
	t.expect(1, false)
	t.end("1ms")
	bindsNone(t, "binder")
}

func boundWithout(t *tape) {
	t.begin(timeline.Control, capacity)
	t.add("1ms", timeline.Event{Component: &timeline.Component{Name: "binder", State: timeline.Stopped}})
	pods := t.gang("a", 2)
	t.expect(1, true)
	t.bind("1s", "n1", pods[0])
	t.add("7s", timeline.Event{Step: &timeline.Step{Index: 1, Op: "expect", Done: true}})
	t.end("1ms")
}

func forbidden(t *tape) {
	t.begin(timeline.Subject, capacity)
	t.gang("a", 2)
	t.expect(1, true)
	t.add("30s", timeline.Event{Step: &timeline.Step{Index: 1, Op: "expect", Done: true}})
	t.add("1ms", timeline.Event{Denied: &timeline.Denied{User: "system:serviceaccount:x", Verb: "create", Resource: "pods/binding", Count: 7}})
	t.end("1ms")
}

// A timeline that ends anywhere before its end is never a Pass.
func TestCutOffAnywhere(t *testing.T) {
	tape := newTape()
	holdsBack(tape)
	bindsOne(tape, timeline.Control)
	whole := tape.bytes()
	for n := range len(whole) - 1 {
		v, err := Judge(bytes.NewReader(whole[:n]))
		if err != nil {
			t.Fatalf("cut at byte %d: %v", n, err)
		}
		if v.Outcome != Inconclusive {
			t.Fatalf("cut at byte %d of %d: %s", n, len(whole), v.Outcome)
		}
	}
}

func TestSameBytes(t *testing.T) {
	tape := newTape()
	bindsOne(tape, timeline.Subject)
	bindsOne(tape, timeline.Control)
	var first []byte
	for range 20 {
		v, err := Judge(bytes.NewReader(tape.bytes()))
		if err != nil {
			t.Fatal(err)
		}
		text, err := yaml.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = text
		}
		if !bytes.Equal(first, text) {
			t.Fatalf("the verdict differs:\n%s\n%s", first, text)
		}
	}
}

func TestViolations(t *testing.T) {
	tests := map[string]struct {
		write func(*tape)
		want  []string // property: a part of the detail
	}{
		"bound one by one within the settle window": {func(t *tape) {
			p := t.gang("a", 2)
			t.bind("1s", "n1", p[0])
			t.bind("2900ms", "n1", p[1])
		}, nil},
		"partly bound for longer": {func(t *tape) {
			p := t.gang("a", 2)
			t.bind("1s", "n1", p[0])
			t.bind("4s", "n1", p[1])
		}, []string{"all-or-nothing: a was partly bound for 4.000000s, for the most part with 1 of the 2 pods it needs, holding 1 GPUs idle (4.000000 GPU-seconds)"}},
		"partly bound until it is taken away": {func(t *tape) {
			p := t.gang("a", 2)
			t.bind("1s", "n1", p[0])
			t.add("4s", timeline.Event{Gang: &timeline.Gang{Name: "a", Ended: true}})
		}, []string{"all-or-nothing: a was partly bound for 4.000000s"}},
		"a member that succeeded counts": {func(t *tape) {
			p := t.gang("a", 2)
			t.bind("1s", "n1", p...)
			p[0].Phase = "Succeeded"
			t.pod("1s", p[0])
			t.add("9s", timeline.Event{Component: &timeline.Component{Name: "x", State: timeline.Started}})
		}, nil},
		"a member that failed does not": {func(t *tape) {
			p := t.gang("a", 2)
			t.bind("1s", "n1", p...)
			p[0].Phase = "Failed"
			t.pod("1s", p[0])
			t.add("9s", timeline.Event{Component: &timeline.Component{Name: "x", State: timeline.Started}})
		}, []string{"all-or-nothing: a was partly bound for 9."}},
		"two gangs hold each other's room": {func(t *tape) {
			a, b := t.gang("a", 2), t.gang("b", 2)
			t.bind("1s", "n1", a[0], b[0])
			t.add("5s", timeline.Event{Component: &timeline.Component{Name: "x", State: timeline.Started}})
		}, []string{
			"deadlock: 2 gangs held parts of each other's room for 5.001000s: a holds 1 GPUs with 1 of the 2 pods it needs, b holds 1 GPUs with 1 of the 2 pods it needs",
			"all-or-nothing: a was", "all-or-nothing: b was",
		}},
		"partly bound in turn is no deadlock": {func(t *tape) {
			a, b, c := t.gang("a", 2), t.gang("b", 2), t.gang("c", 2)
			t.bind("1s", "n1", a[0])
			t.bind("2s", "n1", b[0])
			t.bind("500ms", "n1", a[1])
			t.bind("1s", "n1", c[0])
			t.bind("1s", "n1", b[1])
			t.bind("1s", "n1", c[1])
		}, nil},
		"a node is asked for too much": {func(t *tape) {
			t.node("n1", 1)
			t.bind("1s", "n1", t.gang("a", 2)...)
		}, []string{"capacity: n1 has 1 of nvidia.com/gpu and is asked for 2"}},
		"room is free again when a pod ends": {func(t *tape) {
			t.node("n1", 2)
			a := t.gang("a", 2)
			t.bind("1s", "n1", a...)
			for _, p := range a {
				p.Phase = "Succeeded"
				t.pod("1s", p)
			}
			t.bind("1s", "n1", t.gang("b", 2)...)
		}, nil},
		"a group with another minimum": {func(t *tape) {
			t.gang("a", 2)
			t.group("a", 1)
		}, []string{"membership: the group a has the minimum 1, not 2"}},
		"a group behind our back": {func(t *tape) {
			t.gang("a", 2)
			t.group("podgroup-1", 1)
		}, []string{"membership: a group podgroup-1 with the minimum 1 was made behind our back"}},
		"a key that names another group": {func(t *tape) {
			p := t.gang("a", 1)
			p[0].Key = "b"
			t.bind("1s", "n1", p...)
		}, []string{`membership: a-0 was bound and names the group "b", not "a"`}},
		"bound, and no group was ever seen": {func(t *tape) {
			t.add("1ms", timeline.Event{Gang: &timeline.Gang{Name: "a", Min: 1, Size: 1}})
			t.bind("1ms", "n1", &timeline.Pod{UID: "u", Name: "a-0", Gang: "a", Key: "a"})
		}, []string{"membership: pods of a were bound, and no group a with the minimum 1 was ever seen"}},
		"a group that is seen late": {func(t *tape) {
			t.add("1ms", timeline.Event{Gang: &timeline.Gang{Name: "a", Min: 1, Size: 1}})
			t.bind("1ms", "n1", &timeline.Pod{UID: "u", Name: "a-0", Gang: "a", Key: "a"})
			t.group("a", 1)
		}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tape := newTape()
			tape.begin(timeline.Subject, shortage)
			test.write(tape)
			tape.end("1ms")
			v, err := Judge(bytes.NewReader(tape.bytes()))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, x := range v.Subject.Violations {
				got = append(got, fmt.Sprintf("%s: %s", x.Property, x.Detail))
			}
			if !slices.EqualFunc(got, test.want, strings.HasPrefix) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// begun is the first line of a timeline, with the patience P.
func begun(scenario string) string {
	return `{"seq":1,"at":0,"begin":{"format":"gangctl.dev/timeline/v1alpha1","run":"subject","patience":P,"scenario":` + scenario + "}}\n"
}

func TestBadTimelines(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"no begin":       {`{"seq":1,"at":0,"end":{}}` + "\n", "line 1: the first event must be begin"},
		"another format": {`{"seq":1,"at":0,"begin":{"format":"x"}}` + "\n", `line 1: format "x" is not "gangctl.dev/timeline/v1alpha1"`},
		"garbage":        {"noise\n", "line 1: "},
		"an expectation of nothing": {
			strings.Replace(begun(`{"spec":{"steps":[{"repeat":{"times":1,"steps":[{"expect":{"gang":"a","for":"1s"}}]}}]}}`), "P", "1", 1),
			"line 1: scenario: spec.steps[0].repeat.steps[0].expect.bound: exactly one of bound, whole and evicted must be set",
		},
		"a control that shows nothing": {
			strings.Replace(begun(`{"spec":{"control":{"shows":{"gang":"a"}}}}`), "P", "1", 1), "line 1: scenario: spec.control.shows: bound must be set",
		},
		"no patience": {strings.Replace(begun(`{}`), "P", "0", 1), "line 1: settle 0.000000 must not be negative, and patience 0 must be above 0"},
		"a time behind all times": {
			strings.Replace(begun(`{}`), "P", "1", 1) + `{"seq":2,"at":1e12,"end":{}}` + "\n", "line 2: time 1e12: must be at most 1000000000 seconds",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Judge(strings.NewReader(test.text))
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestTiming(t *testing.T) {
	spec := capacity
	spec.Alone = true
	tape := newTape()
	tape.begin(timeline.Subject, spec)
	for _, name := range []string{"a", "b"} {
		p := tape.gang(name, 2)
		tape.bind("1s", "n1", p[0])
		tape.bind("500ms", "n1", p[1])
	}
	tape.end("1ms")
	v, err := Judge(bytes.NewReader(tape.bytes()))
	if err != nil {
		t.Fatal(err)
	}
	got := v.Subject.Timing
	if got == nil || got.Gangs != 2 || got.Pods != 4 {
		t.Fatalf("got %+v, want 2 gangs and 4 pods", got)
	}
	second := timeline.Time(time.Second)
	if want := (Quantiles{P50: second * 3 / 2, P99: second * 3 / 2, Max: second * 3 / 2}); got.QuorumToBound != want {
		t.Errorf("quorum to bound: got %+v, want %+v", got.QuorumToBound, want)
	}
	if want := (Quantiles{P50: second / 2, P99: second / 2, Max: second / 2}); got.Spread != want {
		t.Errorf("spread: got %+v, want %+v", got.Spread, want)
	}
}

// beginWith starts a subject that differs from the usual one.
func (t *tape) beginWith(change func(*timeline.Begin)) {
	spec, err := json.Marshal(scenario.Scenario{Metadata: scenario.Metadata{Name: "toy"}, Spec: shortage})
	if err != nil {
		panic(err)
	}
	b := timeline.Begin{
		Format: timeline.Format, Run: timeline.Subject, Case: "toy", Backend: "b", Version: "v1.0.0", Kubernetes: "v1.34.4",
		Scheduler: "s", Binder: "binder", Settle: timeline.Time(3 * time.Second), Patience: 1, Scenario: spec,
	}
	change(&b)
	t.add("0s", timeline.Event{Begin: &b})
}

func TestMembersOfJobs(t *testing.T) {
	tests := map[string]struct {
		begin func(*timeline.Begin)
		write func(*tape)
		want  []string
	}{
		"the operator names another scheduler": {
			func(b *timeline.Begin) { b.Operator, b.Grouped, b.Scheduler = "jobs@v1.0.0/TFJob", true, "gangs" },
			func(t *tape) {
				t.gang("a", 1)
			},
			[]string{`membership: a-0 was made by jobs@v1.0.0/TFJob for the scheduler "s", not "gangs"`},
		},
		"members without a group object still carry the key": {
			func(b *timeline.Begin) { b.Joined = true },
			func(t *tape) {
				p := t.gang("a", 1)
				p[0].Key = ""
				t.bind("1s", "n1", p...)
			},
			[]string{`membership: a-0 was bound and names the group "", not "a"`},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tape := newTape()
			tape.beginWith(test.begin)
			test.write(tape)
			tape.end("1ms")
			v, err := Judge(bytes.NewReader(tape.bytes()))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, x := range v.Subject.Violations {
				got = append(got, fmt.Sprintf("%s: %s", x.Property, x.Detail))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

func TestNotApplicable(t *testing.T) {
	tape := newTape()
	tape.begin(timeline.Subject, shortage)
	tape.add("1ms", timeline.Event{End: &timeline.End{NotApplicable: "a JAXJob has no pods for the role ps"}})
	tape.begin(timeline.Control, shortage)
	tape.end("1ms")
	v, err := Judge(bytes.NewReader(tape.bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if v.Outcome != NotApplicable || v.Reason != "a JAXJob has no pods for the role ps" {
		t.Errorf("got %s: %s", v.Outcome, v.Reason)
	}
}
