// Package report writes what a run of cases showed: a byte-stable YAML report, a
// JUnit file and one HTML page with a timeline picture per run, all of which open
// with no network. It computes nothing that a verdict or a timeline doesn't hold.
package report

import (
	"cmp"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
	"github.com/gangctl/gangctl/internal/verdict"
)

// Case is one case of a run.
type Case struct {
	Scenario *scenario.Scenario
	Verdict  *verdict.Verdict
	// Claimed says that the backend claims the case's feature, or that it is scenario.Core.
	Claimed bool
	// Timeline is the path of the case's timeline.jsonl, for the pictures; it may be empty.
	Timeline string
	// Before is what the case showed in a lab that had had cases before it, where that is
	// something else: it was run again in a fresh one, and that counts.
	Before *Before
}

// Before is what an earlier run of a case showed.
type Before struct {
	Outcome verdict.Outcome `json:"outcome"`
	Reason  string          `json:"reason,omitempty"`
	// Timeline is relative to the report's folder.
	Timeline string `json:"timeline"`
}

// String says it in a line.
func (b *Before) String() string {
	return fmt.Sprintf("in a lab that had had cases before: %s: %s", b.Outcome, b.Reason)
}

// Meta is what the run was.
type Meta struct {
	Backend, Version, Kubernetes, Tool string
	// Operator is operator@version/Kind, where gangs came as its jobs; else "".
	Operator string
	// Provider is where the cluster came from: lab, kind or existing.
	Provider string
	Profiles []string
	Date     time.Time
	// Command reproduces the run.
	Command string
	// Strict counts failures of features that the backend does not claim.
	Strict bool
}

// ConformanceReport is modelled on the report of the Gateway API's suite.
type ConformanceReport struct {
	APIVersion     string         `json:"apiVersion"`
	Kind           string         `json:"kind"`
	Date           string         `json:"date"`
	Tool           string         `json:"tool"`
	Strict         bool           `json:"strict,omitempty"`
	Implementation Implementation `json:"implementation"`
	Profiles       []Profile      `json:"profiles"`
	// Reproduce is the command that runs the same again.
	Reproduce string `json:"reproduce"`
}

// Implementation is what was tested, and on what.
type Implementation struct {
	Backend    string `json:"backend"`
	Version    string `json:"version"`
	Operator   string `json:"operator,omitempty"`
	Kubernetes string `json:"kubernetes"`
	Provider   string `json:"provider"`
}

// Profile is a group of cases.
type Profile struct {
	Name       string     `json:"name"`
	Result     Result     `json:"result"`
	Statistics Statistics `json:"statistics"`
	// FailedCases are those that make the result a failure.
	FailedCases []string     `json:"failedCases,omitempty"`
	Cases       []CaseResult `json:"cases"`
}

// Statistics counts each case of a profile once.
type Statistics struct {
	Passed        int `json:"passed"`
	Failed        int `json:"failed"`
	Inconclusive  int `json:"inconclusive"`
	NotApplicable int `json:"notApplicable"`
	// NotClaimed are failures of features that the backend does not claim.
	NotClaimed int `json:"notClaimed"`
}

// CaseResult is what one case showed.
type CaseResult struct {
	Name    string          `json:"name"`
	Feature string          `json:"feature"`
	Claimed bool            `json:"claimed"`
	Outcome verdict.Outcome `json:"outcome"`
	Reason  string          `json:"reason,omitempty"`
	// Control says what the control showed.
	Control        string         `json:"control,omitempty"`
	Seconds        timeline.Time  `json:"seconds"`
	IdleGPUSeconds IdleGPUSeconds `json:"idleGPUSeconds"`
	// Ledger is which gang held what with no use to it, from when to when.
	Ledger []verdict.Holding `json:"ledger,omitempty"`
	// Wrong is who held what when the run on the backend went wrong.
	Wrong  *verdict.Moment `json:"wrong,omitempty"`
	Timing *verdict.Timing `json:"timing,omitempty"`
	// Timeline is relative to the report's folder.
	Timeline string `json:"timeline,omitempty"`
	// Before is what it showed in a lab that had had cases before it, where that is something
	// else.
	Before *Before `json:"before,omitempty"`
}

// IdleGPUSeconds is what gangs held while below their minimum, in each run.
type IdleGPUSeconds struct {
	Subject timeline.Time  `json:"subject"`
	Control *timeline.Time `json:"control,omitempty"`
}

// Build makes the report: profiles by name, and the cases of each by name.
func Build(m Meta, cases []Case) *ConformanceReport {
	r := &ConformanceReport{
		APIVersion: "gangctl.dev/v1alpha1", Kind: "ConformanceReport",
		Date: m.Date.UTC().Format(time.RFC3339), Tool: m.Tool, Strict: m.Strict,
		Implementation: Implementation{Backend: m.Backend, Version: m.Version, Operator: m.Operator, Kubernetes: m.Kubernetes, Provider: m.Provider},
		Profiles:       []Profile{}, Reproduce: m.Command,
	}
	// A profile that was asked for and has no case is shown as empty, not left out.
	byProfile := map[string][]CaseResult{}
	for _, name := range m.Profiles {
		byProfile[name] = nil
	}
	for _, c := range sorted(cases) {
		byProfile[c.profile()] = append(byProfile[c.profile()], c.result())
	}
	for _, name := range slices.Sorted(maps.Keys(byProfile)) {
		r.Profiles = append(r.Profiles, newProfile(name, byProfile[name], m.Strict))
	}
	return r
}

// sorted orders cases by profile, then by name.
func sorted(cases []Case) []Case {
	return slices.SortedStableFunc(slices.Values(cases), func(a, b Case) int {
		return cmp.Or(cmp.Compare(a.profile(), b.profile()), cmp.Compare(a.name(), b.name()))
	})
}

func (c Case) result() CaseResult {
	v := c.verdict()
	x := CaseResult{
		Name: c.name(), Feature: c.feature(), Claimed: c.Claimed, Outcome: v.Outcome, Reason: v.Reason,
		Control: controlShowed(c), Seconds: v.Subject.Seconds, Timing: v.Subject.Timing,
		IdleGPUSeconds: IdleGPUSeconds{Subject: v.Subject.IdleGPUSeconds},
		Ledger:         v.Subject.Ledger,
		Timeline:       filepath.ToSlash(c.Timeline),
		Before:         c.Before,
	}
	if v.Outcome != verdict.Pass {
		x.Wrong = v.Subject.Wrong
	}
	if v.Control != nil {
		x.IdleGPUSeconds.Control = &v.Control.IdleGPUSeconds
	}
	return x
}

// verdict is the case's verdict. A case without one proves nothing.
func (c Case) verdict() *verdict.Verdict {
	if c.Verdict == nil {
		return &verdict.Verdict{Outcome: verdict.Inconclusive, Reason: "the case has no verdict"}
	}
	return c.Verdict
}

func (c Case) name() string {
	if c.Scenario == nil {
		return c.verdict().Case
	}
	return c.Scenario.Metadata.Name
}

func (c Case) profile() string { return c.spec().Profile }

func (c Case) feature() string { return c.spec().Feature }

func (c Case) spec() scenario.Spec {
	if c.Scenario == nil {
		return scenario.Spec{}
	}
	return c.Scenario.Spec
}
