package report

import (
	"fmt"
	"strings"

	"github.com/gangctl/gangctl/internal/verdict"
)

// Result sums up a profile.
type Result string

// The results, as in the Gateway API's report.
const (
	// Success: every claimed case passed.
	Success Result = "success"
	// Partial: no claimed case failed, and not all of them could be judged.
	Partial Result = "partial"
	// Failure: a claimed case failed.
	Failure Result = "failure"
)

// Label is a case's outcome as people read it.
func Label(c Case) string { return label(c.verdict().Outcome, c.Claimed) }

func label(o verdict.Outcome, claimed bool) string {
	if o == verdict.Fail && !claimed {
		return "Fail (not claimed)"
	}
	return string(o)
}

// counts says that a failure of the case counts against the backend.
func (c CaseResult) counts(strict bool) bool {
	return c.Outcome == verdict.Fail && (c.Claimed || strict)
}

func newProfile(name string, cases []CaseResult, strict bool) Profile {
	p := Profile{Name: name, Result: Success, Cases: cases}
	if cases == nil {
		p.Cases = []CaseResult{}
	}
	open := len(cases) == 0
	for _, c := range cases {
		p.Statistics.add(c)
		if c.counts(strict) {
			p.FailedCases = append(p.FailedCases, c.Name)
		}
		open = open || c.Claimed && (c.Outcome == verdict.Inconclusive || c.Outcome == verdict.NotApplicable)
	}
	switch {
	case len(p.FailedCases) > 0:
		p.Result = Failure
	case open:
		p.Result = Partial
	}
	return p
}

func (s *Statistics) add(c CaseResult) {
	switch {
	case c.Outcome == verdict.Pass:
		s.Passed++
	case c.Outcome == verdict.Fail && c.Claimed:
		s.Failed++
	case c.Outcome == verdict.Fail:
		s.NotClaimed++
	case c.Outcome == verdict.NotApplicable:
		s.NotApplicable++
	default:
		s.Inconclusive++
	}
}

// ExitCode is 0 where every claimed feature passed, 1 where a claimed one failed
// (or any, if strict), and 3 where a claimed one is inconclusive or nothing ran.
func (r *ConformanceReport) ExitCode() int {
	ran, open := false, false
	for _, p := range r.Profiles {
		if len(p.FailedCases) > 0 {
			return 1
		}
		for _, c := range p.Cases {
			ran = ran || c.Outcome != verdict.NotApplicable
			open = open || c.Claimed && c.Outcome == verdict.Inconclusive
		}
	}
	if open || !ran {
		return 3
	}
	return 0
}

// Summary is the run in one line.
func (r *ConformanceReport) Summary() string {
	return r.Implementation.String() + ": " + r.total().String()
}

// String is backend@version on its Kubernetes.
func (i Implementation) String() string {
	text := i.Backend
	if i.Version != "" {
		text += "@" + i.Version
	}
	if i.Operator != "" {
		text = i.Operator + " on " + text
	}
	if i.Kubernetes != "" {
		text += " on Kubernetes " + i.Kubernetes
	}
	return text
}

// total is the sum over the profiles.
func (r *ConformanceReport) total() Statistics {
	var sum Statistics
	for _, p := range r.Profiles {
		for _, c := range p.Cases {
			sum.add(c)
		}
	}
	return sum
}

// String lists what there is, in words.
func (s Statistics) String() string {
	var parts []string
	for _, x := range []struct {
		n    int
		what string
	}{
		{s.Passed, "passed"}, {s.Failed, "failed"}, {s.NotClaimed, "failed (not claimed)"},
		{s.Inconclusive, "inconclusive"}, {s.NotApplicable, "not applicable"},
	} {
		if x.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", x.n, x.what))
		}
	}
	if len(parts) == 0 {
		return "nothing ran"
	}
	return strings.Join(parts, ", ")
}
