package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
	"github.com/gangctl/gangctl/internal/verdict"
)

// recorder writes a timeline by hand, as observe does from a cluster.
type recorder struct {
	events []timeline.Event
	now    timeline.Time
	seq    int
	pods   map[string]*timeline.Pod
	uid    int
}

func (r *recorder) add(e timeline.Event) {
	r.seq++
	e.Seq, e.At = r.seq, r.now
	r.events = append(r.events, e)
}

func (r *recorder) begin(run, scheduler string, s *scenario.Scenario) {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	r.now, r.seq, r.pods = 0, 0, map[string]*timeline.Pod{}
	r.add(timeline.Event{Begin: &timeline.Begin{
		Format: timeline.Format, Run: run, Case: s.Metadata.Name, Backend: "volcano", Version: "v1.14.1", Kubernetes: "v1.34.4",
		Scheduler: scheduler, Settle: timeline.Time(3 * time.Second), Patience: 1,
		Started: time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC), Scenario: text,
	}})
}

// at moves the clock to a second of the run.
func (r *recorder) at(s float64) { r.now = timeline.Time(s * 1e9) }

func (r *recorder) nodes(from, n int, gpus int64) {
	for i := range n {
		r.add(timeline.Event{Node: &timeline.Node{Name: fmt.Sprintf("node-%d", from+i), Ready: true, Allocatable: timeline.Resources{timeline.GPU: gpus, "cpu": 32000}}})
	}
}

func (r *recorder) step(s *scenario.Scenario, index, round int, done bool) {
	op, text := scenario.StepAt(s.Spec.Steps, index).Op()
	r.add(timeline.Event{Step: &timeline.Step{Index: index, Round: round, Op: op, Text: text.String(), Done: done}})
}

func (r *recorder) gang(name string, minimum int, ended bool) {
	r.add(timeline.Event{Gang: &timeline.Gang{Name: name, Min: minimum, Size: minimum, Ended: ended}})
}

// pod writes the pod's next state, after a change to its last one.
func (r *recorder) pod(gang, name string, change func(*timeline.Pod)) {
	p := r.pods[name]
	if p == nil || p.Gone {
		r.uid++
		p = &timeline.Pod{UID: fmt.Sprintf("uid-%d", r.uid), Name: name, Gang: gang, Phase: "Pending"}
	}
	next := *p
	change(&next)
	r.pods[name] = &next
	r.add(timeline.Event{Pod: &next})
}

func asks(gpus int64) func(*timeline.Pod) {
	return func(p *timeline.Pod) { p.Requests = timeline.Resources{timeline.GPU: gpus, "cpu": 1000} }
}

func on(node int) func(*timeline.Pod) {
	return func(p *timeline.Pod) { p.Node = fmt.Sprintf("node-%d", node) }
}

func phase(phase string) func(*timeline.Pod) { return func(p *timeline.Pod) { p.Phase = phase } }

func (r *recorder) end() { r.add(timeline.Event{End: &timeline.End{}}) }

// file writes the timeline and judges it, as the suite does.
func (r *recorder) file(t *testing.T, dir, name string) (string, *verdict.Verdict) {
	t.Helper()
	var text bytes.Buffer
	w := timeline.NewWriter(&text)
	for _, e := range r.events {
		if err := w.Write(e); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "timelines", name+".jsonl")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	v, err := verdict.Judge(&text)
	if err != nil {
		t.Fatal(err)
	}
	return path, v
}

func decode(t *testing.T, name, text string) *scenario.Scenario {
	t.Helper()
	s, err := scenario.Decode(name+".yaml", []byte("apiVersion: gangctl.dev/v1alpha1\nkind: Scenario\nmetadata: {name: "+name+"}\nspec:\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}
