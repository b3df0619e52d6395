package verdict

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

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
		}, []string{"all-or-nothing: a was partly bound for 4.000000s, for the most part with 1 of the 2 pods it needs, holding 1 GPU idle (4.000000 GPU-seconds)"}},
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
		"a group that had our minimum before": {func(t *tape) {
			t.bind("1s", "n1", t.gang("a", 2)...)
			t.group("a", 1)
		}, []string{"membership: the group a has the minimum 1, not 2"}},
		"what it had longest is not cut short by a message": {func(t *tape) {
			p := t.gang("a", 3)
			t.bind("1s", "n1", p[0])
			p[1].Why = "no room"
			t.pod("2s", p[1])
			t.bind("2s", "n1", p[1])
			t.bind("3s", "n1", p[2])
		}, []string{"all-or-nothing: a was partly bound for 7.000000s, for the most part with 1 of the 3 pods it needs"}},
		"locked with the same gang again": {func(t *tape) {
			a, b := t.gang("a", 2), t.gang("b", 2)
			t.bind("1s", "n1", a[0], b[0])
			t.bind("5s", "n1", a[1])
			a[1].Phase = "Failed"
			t.pod("1s", a[1])
			t.bind("5s", "n1", b[1])
		}, []string{
			"deadlock: 2 gangs held parts of each other's room for 5.000000s: a holds", "all-or-nothing: a was",
			"deadlock: 2 gangs held parts of each other's room for 5.000000s: b holds", "all-or-nothing: b was", "all-or-nothing: a was",
		}},
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
