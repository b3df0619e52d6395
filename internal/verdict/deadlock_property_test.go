package verdict

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gangctl/gangctl/internal/timeline"
)

// locked is a time in which two gangs were partly bound.
type locked struct {
	from, to timeline.Time
	with     [2]string
}

// naiveDeadlocks are the longest times in which two gangs, the same two, were partly bound,
// where they outlast the settle window.
func (h *history) naiveDeadlocks() []locked {
	var all []locked
	lives := h.lives()
	for i, l := range lives {
		for _, m := range lives[:i] {
			for _, x := range h.intervals(func(k int) bool { return h.isPartial(l, k) && h.isPartial(m, k) }) {
				if h.length(x) > h.begin.Settle {
					all = append(all, locked{from: h.at(x.from), to: h.at(x.to), with: [2]string{l.Name, m.Name}})
				}
			}
		}
	}
	return all
}

// A deadlock is reported just where two gangs were partly bound together for longer than
// the settle window: each one that is reported is one, and each one that there is has both
// named together.
func TestPropertyDeadlock(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, seconds, moods...)
		want := h.naiveDeadlocks()
		var got []Violation
		for _, v := range violationsOf(h.judged(t), "deadlock") {
			got = append(got, v)
			named := namesOf(v)
			begun := func(d locked) bool {
				return d.to >= v.To && d.from <= v.To && slices.Contains(named, d.with[0]) && slices.Contains(named, d.with[1])
			}
			// All that are named were locked with the one that ended it then.
			ended := slices.ContainsFunc(named, func(first string) bool {
				return !slices.ContainsFunc(named, func(other string) bool {
					return other != first && !slices.ContainsFunc(want, func(d locked) bool {
						return d.to == v.To && slices.Contains(d.with[:], first) && slices.Contains(d.with[:], other)
					})
				})
			})
			if len(named) < 2 || !ended {
				t.Fatalf("%s: there were %v\n%s", v.Detail, want, h.text())
			}
			// It began with the first two of them.
			first := v.To
			for _, d := range want {
				if begun(d) {
					first = min(first, d.from)
				}
			}
			if v.From != first {
				t.Fatalf("%s: began at %s, want %s: %v\n%s", v.Detail, v.From, first, want, h.text())
			}
		}
		for _, d := range want {
			if !slices.ContainsFunc(got, func(v Violation) bool {
				return v.To <= d.to && v.To > d.from && slices.Contains(namesOf(v), d.with[0]) && slices.Contains(namesOf(v), d.with[1])
			}) {
				t.Fatalf("%v was not reported: %v\n%s", d, got, h.text())
			}
		}
	})
}

// namesOf are the gangs that a deadlock names.
func namesOf(v Violation) []string {
	var names []string
	for _, p := range v.Bound {
		if !slices.Contains(names, p.Gang) {
			names = append(names, p.Gang)
		}
	}
	return names
}
