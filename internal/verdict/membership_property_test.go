package verdict

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// naiveMembership is what is wrong, each once for a name.
func (h *history) naiveMembership() (all []string) {
	wrong := func(gang, what string) {
		if s := gang + ": " + what; !slices.Contains(all, s) {
			all = append(all, s)
		}
	}
	strangers := h.spec.Steps[1].Submit.Ungrouped
	if h.begin.Grouped && !strangers {
		for _, e := range h.events {
			if e.Group == nil || e.Group.Gone || slices.Contains(gangNames, e.Group.Name) {
				continue
			}
			wrong(e.Group.Name, "made behind our back")
		}
	}
	for _, l := range h.lives() {
		if l.Name == "b" && strangers {
			continue
		}
		seen, other, bound := false, false, false
		for _, e := range h.events[l.from:l.to] {
			if e.Group != nil && !e.Group.Gone && e.Group.Name == l.Name {
				seen = seen || e.Group.Min == int64(l.Min)
				other = other || e.Group.Min != int64(l.Min)
			}
		}
		for _, uid := range h.members(l) {
			p := h.lastSeen(uid, l.to-1)
			if h.begin.Grouped && h.begin.Operator != "" && p.Scheduler != "s" {
				wrong(l.Name, "another scheduler")
			}
			if h.seenBound(l, uid) < 0 {
				continue
			}
			bound = true
			if (h.begin.Grouped || h.begin.Joined) && p.Key != l.Name {
				wrong(l.Name, "another key")
			}
		}
		if h.begin.Grouped && bound && !seen {
			wrong(l.Name, "no group")
		}
		if h.begin.Grouped && other {
			wrong(l.Name, "another minimum")
		}
	}
	return all
}

// whatIsWrong says it of a violation in the words of naiveMembership.
func whatIsWrong(v Violation) string {
	for words, what := range map[string]string{
		"was made behind our back": "made behind our back", "for the scheduler": "another scheduler", "names the group": "another key",
		"was ever seen": "no group", "has the minimum": "another minimum",
	} {
		if strings.Contains(v.Detail, words) {
			return v.Subject + ": " + what
		}
	}
	return v.Detail
}

// Membership is violated just where a group, a key or a scheduler is not what we meant.
func TestPropertyMembership(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, seconds, moods...)
		var got []string
		for _, v := range violationsOf(h.judged(t), "membership") {
			got = append(got, whatIsWrong(v))
		}
		want := h.naiveMembership()
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q\n%s", got, want, h.text())
		}
	})
}
