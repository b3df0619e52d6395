package verdict

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

func subjectOf(t *testing.T, tape *tape) Run {
	t.Helper()
	v, err := Judge(bytes.NewReader(tape.bytes()))
	if err != nil {
		t.Fatal(err)
	}
	return v.Subject
}

func details(r Run, of scenario.Property) string {
	var all []string
	for _, v := range r.Violations {
		if v.Property == of {
			all = append(all, v.Detail)
		}
	}
	return strings.Join(all, "; ")
}

// A gang of two grows to three: its group has the settle window to follow.
func TestGroupFollowsItsGang(t *testing.T) {
	tests := map[string]struct {
		follow func(*tape)
		want   string
	}{
		"in time": {follow: func(tp *tape) {
			tp.group("a", 2) // a status update with the old minimum
			tp.add("1s", timeline.Event{Group: &timeline.Group{Name: "a", Min: 3}})
		}},
		"never": {follow: func(*tape) {}, want: "the group a has the minimum 2, not 3, 3.000000s after the gang was given another size"},
		"to another minimum": {
			follow: func(tp *tape) { tp.group("a", 4) },
			want:   "the group a has the minimum 4, not 3",
		},
		"and back again": {
			follow: func(tp *tape) {
				tp.group("a", 3)
				tp.add("5s", timeline.Event{Group: &timeline.Group{Name: "a", Min: 2}})
			},
			want: "the group a has the minimum 2, not 3",
		},
		"the gang ends before": {follow: func(tp *tape) {
			tp.add("1s", timeline.Event{Gang: &timeline.Gang{Name: "a", Ended: true}})
		}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tp := newTape()
			tp.begin(timeline.Subject, capacity)
			tp.node("n1", 4)
			tp.bind("1ms", "n1", tp.gang("a", 2)...)
			tp.add("1s", timeline.Event{Gang: &timeline.Gang{Name: "a", Min: 3, Size: 3}})
			test.follow(tp)
			tp.end("10s")
			if got := details(subjectOf(t, tp), scenario.Membership); !strings.HasPrefix(got, test.want) || (got == "") != (test.want == "") {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

// A gang that has grown is partial until its new pods are bound.
func TestGrownGangIsPartial(t *testing.T) {
	for name, late := range map[string]string{"in time": "2s", "late": "4s"} {
		t.Run(name, func(t *testing.T) {
			tp := newTape()
			tp.begin(timeline.Subject, capacity)
			tp.node("n1", 4)
			pods := tp.gang("a", 2)
			tp.bind("1ms", "n1", pods...)
			tp.add("1s", timeline.Event{Gang: &timeline.Gang{Name: "a", Min: 3, Size: 3}})
			tp.group("a", 3)
			third := *pods[0]
			third.UID, third.Name = "third", "a-2"
			tp.bind(late, "n1", &third)
			tp.end("1s")
			got := subjectOf(t, tp)
			if broken := details(got, scenario.AllOrNothing) != ""; broken != (name == "late") {
				t.Errorf("a gang that is whole again after %s: %v", late, got.Violations)
			}
			if got.Gangs != 1 {
				t.Errorf("%d gangs, want the one", got.Gangs)
			}
		})
	}
}

// Pods that come before a gang are no gang: they are bound alone and name any group.
func TestInitializersAreNoGang(t *testing.T) {
	tp := newTape()
	tp.operator = "trainer@v2.2.0/TrainJob"
	tp.begin(timeline.Subject, scenario.Spec{
		Steps: []scenario.Step{
			{Submit: &scenario.Submit{Gang: "a", Roles: []scenario.Role{{Name: "init", Count: 1, First: true}, {Name: "worker", Count: 2}}}},
			expect("a-init", "all", time.Second, 0),
		},
		Control: capacity.Control,
	})
	tp.node("n1", 4)
	tp.gang("a", 2)
	tp.add("1ms", timeline.Event{Gang: &timeline.Gang{Name: "a-init", Min: 1, Size: 1}})
	tp.bind("1ms", "n1", &timeline.Pod{UID: "init", Name: "a-init-0", Gang: "a-init", Role: "init", Key: "a", Scheduler: "another"})
	tp.expect(2, true)
	tp.expect(2, false)
	tp.end("10s")
	if got := subjectOf(t, tp); got.Outcome != Pass {
		t.Errorf("%s: %s", got.Outcome, got.Reason)
	}
}
