package verdict

import (
	"slices"

	"pgregory.net/rapid"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// has says whether there is such an event.
func (h *history) has(is func(timeline.Event) bool) bool { return slices.ContainsFunc(h.events, is) }

// wrong says whether an expectation was not met, or a property did not hold.
func (h *history) wrong() bool {
	ledger, _, _ := h.naiveLedger()
	return len(ledger)+len(h.naiveDeadlocks())+len(h.naiveCapacity())+len(h.naiveMembership()) > 0 ||
		slices.ContainsFunc(h.naiveExpectations(), func(x Expectation) bool { return !x.Met })
}

// naiveOutcome is the outcome of a run by itself.
func (h *history) naiveOutcome() Outcome {
	exited := func(e timeline.Event) bool { return e.Component != nil && e.Component.State == timeline.Exited }
	cut := func(e timeline.Event) bool { return e.Cut != nil }
	end := func(e timeline.Event) bool { return e.End != nil }
	intercept := func(e timeline.Event) bool { return e.Step != nil && e.Step.Op == "intercept" }
	met := func(e timeline.Event) bool { return e.Met != nil }
	last := 0 // step that came to its end
	for _, e := range h.events {
		if e.Step != nil && e.Step.Done {
			last = e.Step.Index
		}
	}
	switch {
	case h.has(exited) || h.has(cut) || !h.has(end):
		return Inconclusive
	case h.wrong():
		return Fail
	case h.has(intercept) && !h.has(met) || len(h.naiveExpectations()) == 0 || last != len(h.spec.Steps):
		return Inconclusive
	}
	return Pass
}

// misbehaved says whether a control went wrong as it must.
func (h *history) misbehaved(c scenario.Control) bool {
	outcome := h.naiveOutcome()
	if outcome == Inconclusive {
		return false
	}
	if c.Scheduler == scenario.StoppedScheduler {
		stopped := slices.IndexFunc(h.events, func(e timeline.Event) bool {
			return e.Component != nil && e.Component.Name == h.begin.Binder && e.Component.State == timeline.Stopped
		})
		for _, l := range h.lives() {
			for _, uid := range h.members(l) {
				if h.seenBound(l, uid) > stopped {
					return false
				}
			}
		}
		return stopped >= 0 && outcome != Pass
	}
	breaks := c.Breaks
	if h.begin.Operator != "" && c.JobsBreak != "" {
		breaks = c.JobsBreak
	}
	ledger, _, _ := h.naiveLedger()
	broken := len(ledger) > 0
	if breaks == scenario.Deadlock {
		broken = len(h.naiveDeadlocks()) > 0
	}
	shows := c.Shows == nil
	for _, l := range h.lives() {
		if now := len(h.events) - 1; c.Shows != nil && l.Name == c.Shows.Gang && l.to > now {
			shows = h.isJust(c.Shows.Bound, l, now) && h.held(l, now) == int64(c.Shows.GPUs)
		}
	}
	return broken && shows
}

func drawControl(t *rapid.T) scenario.Control {
	if rapid.Bool().Draw(t, "stopped control") {
		return scenario.Control{Scheduler: scenario.StoppedScheduler}
	}
	c := scenario.Control{Scheduler: scenario.DefaultScheduler, Breaks: rapid.SampledFrom([]scenario.Property{scenario.AllOrNothing, scenario.Deadlock}).Draw(t, "breaks")}
	if rapid.Bool().Draw(t, "jobs") {
		c.JobsBreak = scenario.AllOrNothing
	}
	if rapid.IntRange(0, 2).Draw(t, "shows") == 0 {
		c.Shows = &scenario.Shows{Gang: "a", Bound: &scenario.Bound{Count: 1}, GPUs: 1}
	}
	return c
}
