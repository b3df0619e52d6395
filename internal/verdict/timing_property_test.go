package verdict

import (
	"math"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/gangctl/gangctl/internal/timeline"
)

// naiveTiming is of the gangs of which as many pods were bound as they have.
func (h *history) naiveTiming() *Timing {
	got := &Timing{}
	var waits, spreads, quorums, lasts []timeline.Time
	for _, l := range h.lives() {
		var seen, bound []timeline.Time
		for _, uid := range h.members(l) {
			seen = append(seen, h.at(h.firstSeen(uid)))
			if i := h.seenBound(l, uid); i >= 0 {
				bound = append(bound, h.at(i))
			}
		}
		if len(bound) < l.Size {
			continue
		}
		slices.Sort(bound)
		got.Gangs++
		got.Pods += l.Size
		quorum, last := seen[l.Min-1], bound[l.Size-1]
		quorums, lasts = append(quorums, quorum), append(lasts, last)
		waits, spreads = append(waits, last-quorum), append(spreads, last-bound[0])
	}
	if got.Gangs == 0 {
		return nil
	}
	got.Window = slices.Max(lasts) - slices.Min(quorums)
	if s := time.Duration(got.Window).Seconds(); s > 0 {
		got.GangsPerSecond, got.PodsPerSecond = timeline.Time(float64(got.Gangs)/s*1e9), timeline.Time(float64(got.Pods)/s*1e9)
	}
	got.QuorumToBound, got.Spread = naiveQuantiles(waits), naiveQuantiles(spreads)
	return got
}

// naiveQuantiles: the q-quantile is the least value that at least q of them do not exceed.
func naiveQuantiles(x []timeline.Time) Quantiles {
	quantile := func(q float64) timeline.Time {
		least := timeline.Time(math.MaxInt64)
		for _, v := range x {
			below := 0
			for _, w := range x {
				if w <= v {
					below++
				}
			}
			if float64(below) >= q*float64(len(x)) {
				least = min(least, v)
			}
		}
		return least
	}
	return Quantiles{P50: quantile(0.5), P99: quantile(0.99), Max: quantile(1)}
}

// The times are those of the gangs whose pods were all bound.
func TestPropertyTiming(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, seconds, moods...)
		if diff := gocmp.Diff(h.naiveTiming(), h.judged(t).Timing); diff != "" {
			t.Fatalf("(-want +got)\n%s\n%s", diff, h.text())
		}
	})
}
