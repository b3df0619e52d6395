package verdict

import (
	"math"
	"slices"
	"time"

	"github.com/gangctl/gangctl/internal/timeline"
)

// times are those of one gang.
type times struct {
	size        int // 0 until all pods were bound
	quorum      timeline.Time
	first, last timeline.Time // bindings
}

// stopwatch takes them.
type stopwatch struct {
	times
	uids    map[string]bool // of pods that were seen, until the quorum
	quorate bool
	count   int // of bindings
}

// saw notes a pod; the gang's quorum is when its min-th was first seen.
func (w *stopwatch) saw(uid string, least int, at timeline.Time) {
	if w.quorate || w.uids[uid] {
		return
	}
	if w.uids == nil {
		w.uids = map[string]bool{}
	}
	if w.uids[uid] = true; len(w.uids) >= least {
		w.quorum, w.quorate, w.uids = at, true, nil
	}
}

// bound notes a pod's binding.
func (w *stopwatch) bound(size int, at timeline.Time) {
	if w.count++; w.count == 1 {
		w.first = at
	}
	if w.count == size {
		w.last, w.size = at, size
	}
}

// timing sums up the gangs that were bound whole; nil where there were none.
func timing(gangs []times) *Timing {
	t := &Timing{}
	var waits, spreads []timeline.Time
	var from, to timeline.Time
	for _, w := range gangs {
		t.Gangs++
		t.Pods += w.size
		waits = append(waits, w.last-w.quorum)
		spreads = append(spreads, w.last-w.first)
		if t.Gangs == 1 || w.quorum < from {
			from = w.quorum
		}
		to = max(to, w.last)
	}
	if t.Gangs == 0 {
		return nil
	}
	t.Window = to - from
	if seconds := time.Duration(t.Window).Seconds(); seconds > 0 {
		t.GangsPerSecond = rate(t.Gangs, seconds)
		t.PodsPerSecond = rate(t.Pods, seconds)
	}
	t.QuorumToBound, t.Spread = quantiles(waits), quantiles(spreads)
	return t
}

// rate is written like a time, with six decimals, so that it is byte-stable.
func rate(n int, seconds float64) timeline.Time {
	return timeline.Time(float64(n) / seconds * 1e9)
}

func quantiles(x []timeline.Time) Quantiles {
	slices.Sort(x)
	rank := func(q float64) timeline.Time { return x[int(math.Ceil(q*float64(len(x))))-1] }
	return Quantiles{P50: rank(0.50), P99: rank(0.99), Max: x[len(x)-1]}
}
