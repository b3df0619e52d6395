package verdict

import (
	"fmt"
	"io"
	"runtime"
	"testing"
	"time"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// longSpec is a case of one expectation, which is open for the whole of the run.
var longSpec = scenario.Spec{
	Steps: []scenario.Step{
		{Submit: &scenario.Submit{Gang: "long", Roles: []scenario.Role{{Name: "worker", Count: gangPods, GPUs: 1}}}},
		{Submit: &scenario.Submit{Gang: "train", Copies: 2, Roles: []scenario.Role{{Name: "worker", Count: gangPods, GPUs: 1}}}},
		expect("long", "all", 30*time.Second, 0),
	},
	Control: scenario.Control{Scheduler: scenario.StoppedScheduler},
}

// sampler counts what is written, and looks at the heap now and then.
type sampler struct {
	w       io.Writer
	written int
	next    int
	peak    uint64
}

func (s *sampler) Write(p []byte) (int, error) {
	if s.written += len(p); s.written >= s.next {
		s.next += 1 << 20
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		s.peak = max(s.peak, m.HeapAlloc)
	}
	return s.w.Write(p)
}

// longLife writes what can go on for ever in one run, until so many bytes are written: gangs
// that come and go, one that lives and loses its members, nodes and strangers that are
// never seen again, and pods that are bound though the scheduler was stopped.
func longLife(out *sampler, size int) error {
	s := newSynthetic(out, 2)
	s.begin(timeline.Subject, longSpec)
	s.add(timeline.Event{Component: &timeline.Component{Name: "binder", State: timeline.Stopped}})
	s.add(timeline.Event{Gang: &timeline.Gang{Name: "long", Min: gangPods, Size: gangPods}})
	s.add(timeline.Event{Group: &timeline.Group{Name: "long", Min: gangPods}})
	s.step(3, 0, "expect", false)
	for n := 0; out.written < size && s.failed == nil; n++ {
		s.comeAndGo(fmt.Sprintf("spare-%d", n), append(s.members("long", gangPods), s.members("", 2)...))
		for g := range s.gangs {
			name := fmt.Sprintf("train-%d", g+1)
			s.add(timeline.Event{Gang: &timeline.Gang{Name: name, Min: gangPods, Size: gangPods}})
			s.add(timeline.Event{Group: &timeline.Group{Name: name, Min: gangPods}})
			s.comeAndGo("node-1", s.members(name, gangPods))
			s.add(timeline.Event{Group: &timeline.Group{Name: name, Min: gangPods, Gone: true}})
			s.add(timeline.Event{Gang: &timeline.Gang{Name: name, Ended: true}})
		}
	}
	s.step(3, 0, "expect", true)
	return s.end()
}

// comeAndGo lets pods wait, be bound one by one to a node, and go with it.
func (s *synthetic) comeAndGo(node string, pods []*timeline.Pod) {
	s.node(node, false)
	s.all(pods, func(_ int, p *timeline.Pod) { p.Why, p.Requests = whyWaits, timeline.Resources{"cpu": 1000} })
	s.all(pods, func(_ int, p *timeline.Pod) { p.Node, p.Why = node, "" })
	s.all(pods, func(_ int, p *timeline.Pod) { p.Deleting = true })
	s.all(pods, func(_ int, p *timeline.Pod) { p.Gone = true })
	s.node(node, true)
}

// peakHeap judges a timeline of so many bytes, which is never there as a whole, and gives
// the most that was in use on the way.
func peakHeap(t *testing.T, size int) uint64 {
	t.Helper()
	in, out := io.Pipe()
	s := &sampler{w: out}
	go func() { out.CloseWithError(longLife(s, size)) }()
	v, err := Judge(in)
	if err != nil {
		t.Fatal(err)
	}
	if len(v.Subject.Violations) > 0 || v.Subject.BoundPods < size/10_000 {
		t.Fatalf("%d pods were bound, %s: the timeline is not the one that was meant", v.Subject.BoundPods, v.Subject.Reason)
	}
	return s.peak
}

// The judge's memory grows with what is alive at a time, and not with the timeline.
func TestConstantMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("judges 110 MB")
	}
	const mega = 1_000_000
	short := peakHeap(t, 10*mega)
	long := peakHeap(t, 100*mega)
	t.Logf("peak heap: %d kB at 10 MB, %d kB at 100 MB", short/1000, long/1000)
	if long > short+mega/2 {
		t.Errorf("the peak heap is %d kB at 10 MB and %d kB at 100 MB: something grows for ever", short/1000, long/1000)
	}
}
