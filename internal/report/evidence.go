package report

import (
	"fmt"

	"github.com/gangctl/gangctl/internal/verdict"
)

// evidence is a row: what did not hold, when, what was seen, and who was bound.
type evidence struct {
	What, When, Saw string
	Bound           []verdict.BoundPod
	// More counts the bound pods that are not listed.
	More int
}

// The most that the page lists; the verdict and the timeline have it all.
const (
	mostEvidence = 20
	mostBound    = 8
)

// newEvidence lists the expectations that were not met and the properties that
// did not hold.
func newEvidence(r verdict.Run) []evidence {
	var all []evidence
	for _, x := range r.Expectations {
		if x.Met {
			continue
		}
		what := fmt.Sprintf("Step %d: %s", x.Step, x.Text)
		if x.Round > 0 {
			what += fmt.Sprintf(" (round %d)", x.Round)
		}
		all = append(all, evidence{What: what, When: "at " + seconds(x.At), Saw: plain(x.Why), Bound: x.Bound})
	}
	for _, x := range r.Violations {
		when := "at " + seconds(x.From)
		if x.To > x.From {
			when = seconds(x.From) + " to " + seconds(x.To)
		}
		all = append(all, evidence{What: "Property: " + string(x.Property), When: when, Saw: plain(x.Detail), Bound: x.Bound})
	}
	for i := range all {
		if n := len(all[i].Bound); n > mostBound {
			all[i].Bound, all[i].More = all[i].Bound[:mostBound], n-mostBound
		}
	}
	if n := len(all); n > mostEvidence {
		rest := evidence{What: fmt.Sprintf("and %d more", n-mostEvidence), Saw: "in the timeline"}
		all = append(all[:mostEvidence], rest)
	}
	return all
}
