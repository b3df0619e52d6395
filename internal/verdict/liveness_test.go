package verdict

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// What a missed deadline says of the room that there was.
func TestRoom(t *testing.T) {
	waits := func(gpus int64, change func(*timeline.Pod)) func(*tape) {
		return func(t *tape) {
			t.begin(timeline.Subject, capacity)
			t.node("n1", gpus)
			for _, p := range t.gang("a", 2) {
				change(p)
				t.pod("1ms", p)
			}
			t.expect(1, true)
			t.add("30s", timeline.Event{Step: &timeline.Step{Index: 1, Op: "expect", Done: true}})
			t.end("1ms")
		}
	}
	same := func(*timeline.Pod) {}
	tests := map[string]struct {
		write func(*tape)
		want  string
	}{
		"it fits":         {waits(2, same), "liveness: a fits: a-0 on n1, a-1 on n1"},
		"it does not fit": {waits(1, same), "a does not fit what is free"},
		"it wants another node": {waits(2, func(p *timeline.Pod) { p.NodeSelector = map[string]string{"pool": "other"} }),
			"a does not fit what is free"},
		"it wants to be apart": {waits(2, func(p *timeline.Pod) { p.Apart = "host" }), "a does not fit what is free"},
		"its like still holds there": {func(t *tape) {
			t.begin(timeline.Subject, capacity)
			t.add("1ms", timeline.Event{Node: &timeline.Node{
				Name: "n1", Ready: true, Allocatable: timeline.Resources{timeline.GPU: 2, "pods": 110}, Labels: map[string]string{"host": "n1"},
			}})
			pods := t.gang("a", 2)
			pods[0].Apart, pods[1].Apart = "host", "host"
			t.bind("1ms", "n1", pods[0])
			pods[0].Deleting = true
			t.pod("1ms", pods[0])
			t.pod("1ms", pods[1])
			t.expect(1, true)
			t.add("30s", timeline.Event{Step: &timeline.Step{Index: 1, Op: "expect", Done: true}})
			t.end("1ms")
		}, "a does not fit what is free"},
		"a pod is missing": {func(t *tape) {
			t.begin(timeline.Subject, capacity)
			t.add("1ms", timeline.Event{Gang: &timeline.Gang{Name: "a", Min: 2, Size: 2}})
			t.expect(1, true)
			t.add("30s", timeline.Event{Step: &timeline.Step{Index: 1, Op: "expect", Done: true}})
			t.end("1ms")
		}, "of a's 2 pods, 0 are there"},
		"what another holds is not free": {func(t *tape) {
			t.begin(timeline.Subject, capacity)
			t.node("n1", 2)
			t.bind("1ms", "n1", t.gang("b", 1)...)
			t.gang("a", 2)
			t.expect(1, true)
			t.add("30s", timeline.Event{Step: &timeline.Step{Index: 1, Op: "expect", Done: true}})
			t.end("1ms")
		}, "a does not fit what is free"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tape := newTape()
			test.write(tape)
			bindsNone(tape, "binder")
			v, err := Judge(bytes.NewReader(tape.bytes()))
			if err != nil {
				t.Fatal(err)
			}
			if v.Outcome != Fail || !strings.Contains(v.Reason, test.want) {
				t.Errorf("got %s, %q\nwant Fail, with %q", v.Outcome, v.Reason, test.want)
			}
		})
	}
}

// Evicted is what loses its node while no step takes pods.
func TestEvicted(t *testing.T) {
	none := 0
	spec := scenario.Spec{
		Steps: []scenario.Step{
			{Expect: &scenario.Expect{Gang: "a", Evicted: &none, For: scenario.Duration(time.Second)}},
			{Delete: &scenario.Delete{Gang: "a", Pods: 1}},
			{Expect: &scenario.Expect{Gang: "a", Evicted: &none, For: scenario.Duration(time.Second)}},
		},
		Control: capacity.Control,
	}
	run := func(t *tape, taken, deleted bool) {
		t.begin(timeline.Subject, spec)
		t.node("n1", 2)
		pods := t.gang("a", 2)
		t.bind("1ms", "n1", pods...)
		t.expect(1, true)
		if taken {
			pods[0].Deleting = true
			t.pod("1ms", pods[0])
		}
		t.add("1s", timeline.Event{Step: &timeline.Step{Index: 1, Op: "expect", Done: true}})
		if deleted {
			t.add("1ms", timeline.Event{Step: &timeline.Step{Index: 2, Op: "delete"}})
			pods[1].Gone = true
			t.pod("1ms", pods[1])
			t.add("1ms", timeline.Event{Step: &timeline.Step{Index: 2, Op: "delete", Done: true}})
			pods[1].Gone = false
		}
		t.expect(3, true)
		t.add("1s", timeline.Event{Step: &timeline.Step{Index: 3, Op: "expect", Done: true}})
		t.end("1ms")
	}
	for name, test := range map[string]struct {
		taken, deleted bool
		want           string
	}{
		"nobody":       {},
		"by a step":    {deleted: true},
		"by another":   {taken: true, want: "step 1: a: at most 0 evicted for 1s: 1 pod of a evicted"},
		"and then too": {taken: true, deleted: true, want: "step 3: a: at most 0 evicted for 1s: 1 pod of a evicted"},
	} {
		t.Run(name, func(t *testing.T) {
			tape := newTape()
			run(tape, test.taken, test.deleted)
			v, err := Judge(bytes.NewReader(tape.bytes()))
			if err != nil {
				t.Fatal(err)
			}
			unmet := ""
			for _, x := range v.Subject.Expectations {
				if !x.Met {
					unmet += v.Subject.Reason
				}
			}
			if !strings.Contains(unmet, test.want) || test.want == "" && unmet != "" {
				t.Errorf("got %q, want %q", unmet, test.want)
			}
		})
	}
}

// A case that was to refuse requests, and met none, shows nothing.
func TestNothingToRefuse(t *testing.T) {
	for name, met := range map[string]bool{"none came": false, "one came": true} {
		t.Run(name, func(t *testing.T) {
			tape := newTape()
			tape.begin(timeline.Subject, shortage)
			tape.node("n1", 1)
			tape.gang("a", 2)
			tape.add("1ms", timeline.Event{Step: &timeline.Step{Index: 2, Op: "intercept"}})
			tape.add("1ms", timeline.Event{Step: &timeline.Step{Index: 2, Op: "intercept", Done: true}})
			if met {
				tape.add("1ms", timeline.Event{Met: &timeline.Met{Verb: "create", Resource: "pods/binding", Name: "a-0", Denied: true}})
			}
			tape.expect(1, true)
			tape.add("10s", timeline.Event{Step: &timeline.Step{Index: 1, Op: "expect", Done: true}})
			tape.end("1ms")
			bindsOne(tape, timeline.Control)
			v, err := Judge(bytes.NewReader(tape.bytes()))
			if err != nil {
				t.Fatal(err)
			}
			want := Inconclusive
			if met {
				want = Pass
			}
			if v.Outcome != want {
				t.Errorf("got %s, %s, want %s", v.Outcome, v.Reason, want)
			}
		})
	}
}
