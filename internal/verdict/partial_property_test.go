package verdict

import (
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gangctl/gangctl/internal/timeline"
)

// naiveLedger is every time in which a gang was partly bound, and the idle GPU-seconds of all.
func (h *history) naiveLedger() (ledger []Holding, bound [][]BoundPod, idle timeline.Time) {
	for _, l := range h.lives() {
		for _, x := range h.intervals(func(i int) bool { return h.isPartial(l, i) }) {
			holding := Holding{Gang: l.Name, From: h.at(x.from), To: h.at(x.to)}
			for i := x.from; i < x.to; i++ {
				holding.IdleGPUSeconds += timeline.Time(h.held(l, i)) * (h.at(i+1) - h.at(i))
			}
			idle += holding.IdleGPUSeconds
			if h.length(x) <= h.begin.Settle {
				continue
			}
			// The state that lasted longest: as many pods, and as many GPUs.
			longest, moment := timeline.Time(-1), 0
			for i := x.from; i < x.to; i++ {
				k := i
				for k < x.to && len(h.bound(l, k)) == len(h.bound(l, i)) && h.held(l, k) == h.held(l, i) {
					k++
				}
				if lasted := h.at(k) - h.at(i); lasted > longest {
					longest, moment = lasted, i
				}
			}
			holding.Pods, holding.GPUs = len(h.bound(l, moment)), h.held(l, moment)
			ledger, bound = append(ledger, holding), append(bound, h.boundList(l, moment))
		}
	}
	return ledger, bound, idle
}

func sameHolding(a, b Holding) int {
	return cmp.Or(cmp.Compare(a.Gang, b.Gang), cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
}

// The ledger holds just the times in which a gang was partly bound for longer than the
// settle window, and each is a violation.
func TestPropertyAllOrNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, seconds, moods...)
		got := h.judged(t)
		want, bound, idle := h.naiveLedger()
		slices.SortFunc(got.Ledger, sameHolding)
		slices.SortFunc(want, sameHolding)
		if diff := gocmp.Diff(want, got.Ledger); diff != "" {
			t.Fatalf("ledger (-want +got)\n%s\n%s", diff, h.text())
		}
		if got.IdleGPUSeconds != idle {
			t.Fatalf("%s idle GPU-seconds, want %s\n%s", got.IdleGPUSeconds, idle, h.text())
		}
		violations := violationsOf(got, "all-or-nothing")
		if len(violations) != len(want) {
			t.Fatalf("%d violations of %d\n%s", len(violations), len(want), h.text())
		}
		for _, v := range violations {
			if !slices.ContainsFunc(want, func(x Holding) bool { return x.Gang == v.Subject && x.From == v.From && x.To == v.To }) {
				t.Fatalf("%s from %s to %s is no violation\n%s", v.Subject, v.From, v.To, h.text())
			}
			if !slices.ContainsFunc(bound, func(x []BoundPod) bool { return slices.Equal(x, v.Bound) }) {
				t.Fatalf("%s: bound %v, want one of %v\n%s", v.Detail, v.Bound, bound, h.text())
			}
		}
	})
}
