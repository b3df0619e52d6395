package verdict

import (
	"cmp"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gangctl/gangctl/internal/timeline"
)

// naiveMoment is who holds what at a moment.
func (h *history) naiveMoment(at timeline.Time, moment int) *Moment {
	m := &Moment{At: at}
	for _, l := range h.lives() {
		if moment < l.from || moment >= l.to {
			continue
		}
		x := Holder{Gang: l.Name, Pods: len(h.bound(l, moment)), Min: l.Min, GPUs: h.held(l, moment), Nodes: []string{}}
		for _, p := range h.of(l, moment) {
			if doesHold(p) && !slices.Contains(x.Nodes, p.Node) {
				x.Nodes = append(x.Nodes, p.Node)
			}
		}
		slices.Sort(x.Nodes)
		if x.Pods > 0 || x.GPUs > 0 {
			m.Holders = append(m.Holders, x)
		}
	}
	slices.SortFunc(m.Holders, func(a, b Holder) int { return cmp.Compare(a.Gang, b.Gang) })
	for _, name := range nodeNames {
		if n := h.node(name, moment); n != nil && n.Ready && !n.Closed {
			m.FreeGPUs += max(0, n.Allocatable[timeline.GPU]-h.asked(name, timeline.GPU, moment))
		}
	}
	return m
}

// Who held what is told of the first end of a settle window in which a gang was partly
// bound, and is told just where something went wrong.
func TestPropertyMoment(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, seconds, moods...)
		got := h.judged(t)
		ledger, _, _ := h.naiveLedger()
		if len(ledger) == 0 {
			unmet := slices.ContainsFunc(got.Expectations, func(x Expectation) bool { return !x.Met })
			open := false // a step at the end of a run that was cut off
			for _, e := range h.events {
				if e.Step != nil {
					open = e.Step.Op == "expect" && !e.Step.Done
				}
			}
			if got.Wrong != nil && !unmet && !open && len(got.Violations) == 0 {
				t.Fatalf("%v, and nothing was wrong\n%s", got.Wrong, h.text())
			}
			if got.Wrong == nil && len(got.Violations) > 0 {
				t.Fatalf("nobody held what, and there is %v\n%s", got.Violations, h.text())
			}
			if !open && got.Wrong != nil && got.Wrong.At != firstWrong(got) {
				t.Fatalf("who held what at %s, and it first went wrong at %s\n%s", got.Wrong.At, firstWrong(got), h.text())
			}
			return
		}
		first := slices.MinFunc(ledger, func(a, b Holding) int { return cmp.Compare(a.From, b.From) }).From + h.begin.Settle
		moment := 0
		for i := range h.events {
			if h.at(i) <= first {
				moment = i
			}
		}
		if diff := gocmp.Diff(h.naiveMoment(first, moment), got.Wrong); diff != "" {
			t.Fatalf("(-want +got)\n%s\n%s", diff, h.text())
		}
	})
}

// firstWrong is when something first went wrong. That an expectation was watched too
// briefly shows at no moment.
func firstWrong(r Run) timeline.Time {
	first := r.Seconds
	for _, v := range r.Violations {
		first = min(first, v.To)
	}
	for _, x := range r.Expectations {
		if !x.Met && !strings.HasPrefix(x.Why, "watched for only") {
			first = min(first, x.At)
		}
	}
	return first
}
