package verdict

import (
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// synthetic writes a timeline as long as one likes, in the proportions of a recorded
// two-gangs-one-room: about ten events a pod, half of them of what it waits for.
type synthetic struct {
	// gangs are alive at a time.
	gangs int
	w     *timeline.Writer
	now   time.Duration
	seq   int
	uid   int
	// events counts those of both runs.
	events int
	failed error
}

const (
	// gangPods is how many pods a gang has.
	gangPods = 4
	// whyWaits is what a scheduler says of a pod, again and again.
	whyWaits = "%d/7 nodes are available: 1 node(s) had untolerated taint(s), 6 Insufficient nvidia.com/gpu. no new claims to deallocate, preemption: 0/7 nodes are available: 1 Preemption is not helpful for scheduling, 6 No preemption victims found for incoming pod."
)

// roundSpec is a case whose steps are gone through so many times.
func roundSpec(gangs, rounds int) scenario.Spec {
	return scenario.Spec{
		Steps: []scenario.Step{{Repeat: &scenario.Repeat{Times: rounds, Steps: []scenario.Step{
			{Submit: &scenario.Submit{Gang: "train", Copies: gangs, Roles: []scenario.Role{{Name: "worker", Count: gangPods, GPUs: 1}}}},
			expect("train-*", "all", 30*time.Second, 0),
			{Delete: &scenario.Delete{Gang: "train-*"}},
		}}}},
		Control: scenario.Control{Scheduler: scenario.StoppedScheduler},
	}
}

func newSynthetic(w io.Writer, gangs int) *synthetic {
	return &synthetic{w: timeline.NewWriter(w), gangs: gangs}
}

func (s *synthetic) add(e timeline.Event) {
	s.now += 73 * time.Microsecond
	s.seq++
	s.events++
	e.Seq, e.At = s.seq, timeline.Time(s.now.Truncate(time.Microsecond))
	if err := s.w.Write(e); err != nil && s.failed == nil {
		s.failed = err
	}
}

func (s *synthetic) begin(run string, spec scenario.Spec) {
	s.now, s.seq = 0, 0
	text, err := json.Marshal(scenario.Scenario{Metadata: scenario.Metadata{Name: "synthetic"}, Spec: spec})
	if err != nil {
		panic(err)
	}
	s.add(timeline.Event{Begin: &timeline.Begin{
		Format: timeline.Format, Run: run, Case: "synthetic", Backend: "b", Version: "v1.0.0", Kubernetes: "v1.34.4",
		Scheduler: "s", Binder: "binder", Grouped: true, Settle: timeline.Time(3 * time.Second), Patience: 1, Scenario: text,
	}})
	for i := range s.gangs * gangPods {
		s.node(fmt.Sprintf("node-%d", i+1), false)
	}
}

func (s *synthetic) node(name string, gone bool) {
	s.add(timeline.Event{Node: &timeline.Node{
		Name: name, Ready: true, Gone: gone, Labels: map[string]string{"kubernetes.io/hostname": name},
		Allocatable: timeline.Resources{"cpu": 32000, "memory": 256 << 30, "ephemeral-storage": 200 << 30, "pods": 110, timeline.GPU: 1},
	}})
}

func (s *synthetic) step(index, round int, op string, done bool) {
	s.add(timeline.Event{Step: &timeline.Step{Index: index, Round: round, Op: op, Text: "as a reader would say it", Done: done}})
}

// members are a gang's pods, just created.
func (s *synthetic) members(gang string, n int) []*timeline.Pod {
	var pods []*timeline.Pod
	for i := range n {
		s.uid++
		pods = append(pods, &timeline.Pod{
			UID: fmt.Sprintf("6e9bbdf8-d7a3-4d5e-8fc2-%012d", s.uid), Name: fmt.Sprintf("%s-worker-%d", gang, i), Gang: gang, Role: "worker", Key: gang,
			Scheduler: "s", Requests: timeline.Resources{"cpu": 1000, timeline.GPU: 1}, Phase: "Pending",
		})
	}
	return pods
}

// all makes one change to every pod, and an event of each.
func (s *synthetic) all(pods []*timeline.Pod, change func(i int, p *timeline.Pod)) {
	for i, p := range pods {
		change(i, p)
		now := *p
		s.add(timeline.Event{Pod: &now})
	}
}

// round is one time through the steps of roundSpec: the gangs come, wait, are bound, run,
// succeed and are taken away.
func (s *synthetic) round(round int) {
	s.step(2, round, "submit", false)
	var pods []*timeline.Pod
	for g := range s.gangs {
		name := fmt.Sprintf("train-%d", g+1)
		s.add(timeline.Event{Gang: &timeline.Gang{Name: name, Min: gangPods, Size: gangPods}})
		s.add(timeline.Event{Group: &timeline.Group{Name: name, Min: gangPods, Phase: "Pending"}})
		pods = append(pods, s.members(name, gangPods)...)
	}
	s.all(pods, func(int, *timeline.Pod) {})
	s.step(2, round, "submit", true)
	s.step(3, round, "expect", false)
	for i := range 4 {
		s.all(pods, func(_ int, p *timeline.Pod) { p.Why = fmt.Sprintf(whyWaits, i) })
	}
	s.all(pods, func(i int, p *timeline.Pod) { p.Node, p.Why = fmt.Sprintf("node-%d", i+1), "" })
	s.step(3, round, "expect", true)
	s.all(pods, func(_ int, p *timeline.Pod) { p.Phase = "Running" })
	s.all(pods, func(_ int, p *timeline.Pod) { p.Phase = "Succeeded" })
	s.step(4, round, "delete", false)
	s.all(pods, func(_ int, p *timeline.Pod) { p.Deleting = true })
	s.all(pods, func(_ int, p *timeline.Pod) { p.Gone = true })
	for g := range s.gangs {
		name := fmt.Sprintf("train-%d", g+1)
		s.add(timeline.Event{Group: &timeline.Group{Name: name, Min: gangPods, Gone: true}})
		s.add(timeline.Event{Gang: &timeline.Gang{Name: name, Ended: true}})
	}
	s.step(4, round, "delete", true)
}

// end ends the run.
func (s *synthetic) end() error {
	s.add(timeline.Event{End: &timeline.End{}})
	if err := s.w.Flush(); s.failed == nil {
		s.failed = err
	}
	return s.failed
}

// writeRounds writes a subject that goes through so many rounds, and a control that goes
// the same way.
func writeRounds(w io.Writer, gangs, rounds int) (events int, err error) {
	s := newSynthetic(w, gangs)
	for _, run := range []string{timeline.Subject, timeline.Control} {
		s.begin(run, roundSpec(gangs, rounds))
		for i := range rounds {
			s.round(i + 1)
		}
		if err := s.end(); err != nil {
			return 0, err
		}
	}
	return s.events, nil
}
