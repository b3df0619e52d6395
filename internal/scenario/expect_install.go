package scenario

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/gangctl/gangctl/internal/timeline"
)

// What a sync must have come to.
const (
	Applied   = "applied"
	Unchanged = "unchanged"
)

// installation says that the expectation is about the backend's installation, not a gang.
func (e *Expect) installation() bool { return e.Denied != nil || e.Refusals != nil || e.Synced != "" }

func (e *Expect) validateInstallation() error {
	if e.Gang != "" || e.Bound != nil || e.Whole != nil || e.Evicted != nil {
		return errors.New("gang: does not go with denied, refusals and synced")
	}
	if !exactlyOne(e.Denied != nil, e.Refusals != nil, e.Synced != "") {
		return errors.New("denied: exactly one of denied, refusals and synced must be set")
	}
	if e.Denied != nil && (*e.Denied < 0 || e.For <= 0 || e.Within != 0) {
		return fmt.Errorf("denied: %d must not be negative, and goes with for: %s", *e.Denied, e.For)
	}
	if e.Refusals != nil && *e.Refusals < 0 {
		return fmt.Errorf("refusals: %d must not be negative", *e.Refusals)
	}
	if e.Synced != "" && e.Synced != Applied && e.Synced != Unchanged {
		return fmt.Errorf("synced: %q must be %s or %s", e.Synced, Applied, Unchanged)
	}
	if e.Denied == nil && (e.Within != 0 || e.For != 0) {
		return errors.New("within: refusals and synced are about what has been, and take no time")
	}
	return nil
}

func (e *Expect) installationString() string {
	switch {
	case e.Denied != nil:
		return fmt.Sprintf("at most %s forbidden to a component", Count(*e.Denied, "request"))
	case e.Refusals != nil:
		return fmt.Sprintf("at most %s refused", Count(*e.Refusals, "request"))
	}
	return "the sync: " + e.Synced
}

func (e *Expect) installationMet(s *timeline.State) (ok bool, why string) {
	switch {
	case e.Denied != nil:
		n, first := 0, ""
		for _, d := range s.Denied {
			n, first = n+d.Count, cmp.Or(first, d.String())
		}
		if n > *e.Denied {
			return false, fmt.Sprintf("%s forbidden: %s", Count(n, "request"), first)
		}
	case e.Refusals != nil:
		if n := len(s.Refused); n > *e.Refusals {
			r := s.Refused[0]
			return false, fmt.Sprintf("%s refused: %s %s %s: %s", Count(n, "request"), r.Verb, r.Resource, r.Name, r.Err)
		}
	case s.Sync == nil:
		return false, "nothing was synced"
	case len(s.Sync.Failed) > 0:
		return false, some(len(s.Sync.Failed), "object", "failed", s.Sync.Failed)
	case e.Synced == Unchanged && len(s.Sync.Changed)+len(s.Sync.Pruned) > 0:
		if all := s.Sync.Changed; len(all) > 0 {
			return false, some(len(all), "object", "changed", all)
		}
		return false, some(len(s.Sync.Pruned), "object", "pruned", s.Sync.Pruned)
	}
	return true, ""
}

// some counts what a sync did, and names the first of it.
func some(n int, what, did string, which []string) string {
	text := fmt.Sprintf("%s %s: %s", Count(n, what), did, which[0])
	if n > 1 {
		text += " and others"
	}
	return text
}
