package verdict

import (
	"path"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// ticklish times come to just a deadline, and to just what is allowed behind it.
var ticklish = append([]time.Duration{50 * time.Millisecond, 51 * time.Millisecond, 950 * time.Millisecond}, seconds...)

// isMet is the expectation at a moment.
func (h *history) isMet(e *scenario.Expect, moment int) bool {
	gangs, whole, evicted := 0, 0, 0
	for _, l := range h.lives() {
		if ok, _ := path.Match(e.Gang, l.Name); !ok || moment < l.from || moment >= l.to {
			continue
		}
		gangs++
		evicted += h.evicted(l, moment)
		bound := len(h.bound(l, moment))
		if bound >= l.Min {
			whole++
		} else if e.Whole != nil && bound > 0 {
			return false
		}
		if e.Bound != nil && !h.isJust(e.Bound, l, moment) {
			return false
		}
	}
	return gangs > 0 && (e.Whole == nil || whole == *e.Whole) && (e.Evicted == nil || evicted <= *e.Evicted)
}

func (h *history) isJust(b *scenario.Bound, l life, moment int) bool {
	bound := h.bound(l, moment)
	switch {
	case b.Word == "none":
		return len(bound) == 0
	case b.Word == "all":
		return len(bound) == l.Size
	case b.Word == "all-or-none":
		return len(bound) == 0 || len(bound) == l.Size
	case b.Roles != nil:
		for _, role := range []string{"worker", "ps"} {
			n := 0
			for _, p := range bound {
				if p.Role == role {
					n++
				}
			}
			if n != b.Roles[role] {
				return false
			}
		}
		return true
	}
	return len(bound) == b.Count
}

// evicted counts the pods that were bound and came to be deleted while no step that takes
// pods away was under way.
func (h *history) evicted(l life, moment int) (n int) {
	for _, uid := range h.members(l) {
		for i := l.from + 1; i <= moment; i++ {
			p := h.events[i].Pod
			if p == nil || p.UID != uid || !p.Deleting && !p.Gone {
				continue
			}
			if before := h.lastSeen(uid, i-1); before != nil && isBound(before) && !h.takes(i) {
				n++
			}
		}
	}
	return n
}

// takes says whether a step that takes pods away is under way.
func (h *history) takes(moment int) bool {
	for i := moment; i >= 0; i-- {
		if s := h.events[i].Step; s != nil {
			return !s.Done && slices.Contains([]string{"delete", "drain", "finish", "nodes"}, s.Op)
		}
	}
	return false
}

// naiveExpectations are those that came to their end: whether each was met, and since when.
func (h *history) naiveExpectations() (all []Expectation) {
	const allowed = timeline.Time(50 * time.Millisecond)
	for end, e := range h.events {
		if e.Step == nil || e.Step.Op != "expect" || !e.Step.Done {
			continue
		}
		begin := end - 1
		for h.events[begin].Step == nil {
			begin--
		}
		want := h.spec.Steps[e.Step.Index-1].Expect
		within := h.begin.Patience * time.Duration(want.Within).Seconds()
		lasting := h.begin.Patience * time.Duration(want.For).Seconds()
		deadline := h.at(begin) + timeline.Time(within*1e9)
		if within > 0 {
			deadline += allowed
		}
		since := begin
		for since < end && !h.isMet(want, since) {
			since++
		}
		x := Expectation{Step: e.Step.Index, At: h.at(since)}
		x.Met = since < end && h.at(since) <= deadline
		if within == 0 {
			x.Met = since == begin
		}
		until := h.at(since) + timeline.Time(lasting*1e9)
		for i := since; i < end; i++ {
			if h.at(i) < until && !h.isMet(want, i) {
				x.Met = false
			}
		}
		if h.at(end)+allowed < until {
			x.Met = false
		}
		all = append(all, x)
	}
	return all
}

// An expectation is met just where it became true in time, and then stayed true for its time.
func TestPropertyExpectations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, ticklish, append([]string{"about one gang", "about one gang", "about one gang"}, moods...)...)
		got, want := h.judged(t).Expectations, h.naiveExpectations()
		if len(got) != len(want) {
			t.Fatalf("%d expectations, want %d\n%s", len(got), len(want), h.text())
		}
		for i, w := range want {
			g := got[i]
			if g.Step != w.Step || g.Met != w.Met || w.Met && g.At != w.At {
				t.Fatalf("step %d (%s) met: %t at %s, %q; want %t at %s\n%s", g.Step, g.Text, g.Met, g.At, g.Why, w.Met, w.At, h.text())
			}
		}
	})
}

// As many pods were evicted of each gang that lives as lost their node by no step.
func TestPropertyEvicted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, seconds, "about one gang", "wild")
		state := timeline.NewState()
		for _, e := range h.events {
			state.Apply(e)
		}
		for _, l := range h.lives() {
			if l.to < len(h.events) {
				continue
			}
			if got, want := state.Gangs[l.Name].Evicted, h.evicted(l, len(h.events)-1); got != want {
				t.Fatalf("%d pods of %s were evicted, want %d\n%s", got, l.Name, want, h.text())
			}
		}
	})
}
