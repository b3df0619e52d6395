package scenario

import (
	"testing"
	"time"

	"github.com/gangctl/gangctl/internal/timeline"
)

func TestToldAndFinished(t *testing.T) {
	pod := func(uid, phase, why string) timeline.Event {
		return timeline.Event{Pod: &timeline.Pod{UID: uid, Name: "a-" + uid, Gang: "a", Node: "n", Phase: phase, Why: why}}
	}
	told, finished := Expect{Gang: "a", Told: "No Such Queue"}, Expect{Gang: "a", Finished: true}
	tests := map[string]struct {
		expect Expect
		events []timeline.Event
		want   string // "" is met
	}{
		"by nobody":        {told, []timeline.Event{pod("1", "Pending", "no node")}, `nobody said "No Such Queue" of a`},
		"by a condition":   {told, []timeline.Event{pod("1", "Pending", "there is no such queue")}, ""},
		"of the group":     {told, []timeline.Event{{Group: &timeline.Group{Name: "a", Why: "no such queue"}}}, ""},
		"by an event":      {told, []timeline.Event{pod("1", "", ""), {Said: &timeline.Said{Kind: "Pod", Name: "a-1", Message: "no such queue: x"}}}, ""},
		"of another":       {told, []timeline.Event{{Said: &timeline.Said{Kind: "Pod", Name: "b-1", Message: "no such queue"}}}, `nobody said "No Such Queue" of a`},
		"by a refusal":     {told, []timeline.Event{{Refused: &timeline.Refused{Name: "a", Err: "no such queue"}}}, ""},
		"all finished":     {finished, []timeline.Event{pod("1", "Succeeded", ""), pod("2", "Succeeded", "")}, ""},
		"one still runs":   {finished, []timeline.Event{pod("1", "Succeeded", ""), pod("2", "Running", "")}, "a has not finished, 2 of 2 pods are bound"},
		"one of them fell": {finished, []timeline.Event{pod("1", "Succeeded", ""), pod("2", "Failed", "")}, "a has not finished, 1 of 2 pods are bound"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := timeline.NewState()
			s.Apply(timeline.Event{Gang: &timeline.Gang{Name: "a", Min: 2, Size: 2}})
			for _, e := range test.events {
				s.Apply(e)
			}
			if ok, why := test.expect.Met(s); why != test.want || ok != (why == "") {
				t.Errorf("got %t, %q; want %q", ok, why, test.want)
			}
		})
	}
}

// The backend's timeout is its own: patience is not for it.
func TestHold(t *testing.T) {
	e := Expect{For: Duration(10 * time.Second)}
	if got := e.Hold(2, time.Minute); got != 20*time.Second {
		t.Errorf("got %s", got)
	}
	e.PastTimeout = true
	if got := e.Hold(2, time.Minute); got != 80*time.Second {
		t.Errorf("past the timeout: got %s", got)
	}
}

func TestKubernetesRange(t *testing.T) {
	s := &Scenario{Spec: Spec{Kubernetes: ">=1.27"}}
	for _, version := range []string{"v1.34.4", "v1.34.4-eks-113cf36"} {
		if err := s.RunsOn(version); err != nil {
			t.Errorf("%s: %v", version, err)
		}
	}
	if err := s.RunsOn("v1.24.17"); err == nil || err.Error() != "it needs Kubernetes >=1.27, and this is v1.24.17" {
		t.Errorf("got %v", err)
	}
}
