package verdict

import (
	"testing"
	"time"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

func TestTogether(t *testing.T) {
	tests := map[string]struct {
		label string // that the gang is to be together by
		racks []string
		want  string
	}{
		"one rack":     {label: "rack", racks: []string{"a", "a"}},
		"two racks":    {label: "rack", racks: []string{"a", "b"}, want: `a-0 is bound in the rack "a", and a-1 in "b"`},
		"no such rack": {label: "rack", racks: []string{"a", ""}, want: `a-0 is bound in the rack "a", and a-1 in ""`},
		"anywhere":     {racks: []string{"a", "b"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tp := newTape()
			tp.begin(timeline.Subject, scenario.Spec{
				Steps:   []scenario.Step{expect("a", "all", 30*time.Second, 0)},
				Control: scenario.Control{Scheduler: scenario.DefaultScheduler, Breaks: scenario.Together},
			})
			for i, rack := range test.racks {
				labels := map[string]string{}
				if rack != "" {
					labels["rack"] = rack
				}
				tp.add("1ms", timeline.Event{Node: &timeline.Node{
					Name: string(rune('m' + i)), Ready: true, Labels: labels, Allocatable: timeline.Resources{timeline.GPU: 1, "pods": 110},
				}})
			}
			pods := tp.gang("a", 2)
			tp.add("0s", timeline.Event{Gang: &timeline.Gang{Name: "a", Min: 2, Size: 2, Together: test.label}})
			tp.expect(1, true)
			tp.bind("1s", "m", pods[0])
			tp.bind("1s", "n", pods[1])
			tp.expect(1, false)
			tp.end("1s")
			r := subjectOf(t, tp)
			if got := details(r, scenario.Together); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
