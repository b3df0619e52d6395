package report

import (
	"encoding/json"
	"io"
	"time"

	"github.com/gangctl/gangctl/internal/timeline"
	"github.com/gangctl/gangctl/internal/verdict"
)

// ctrf is a report in the Common Test Report Format, https://ctrf.io.
type ctrf struct {
	ReportFormat string      `json:"reportFormat"`
	SpecVersion  string      `json:"specVersion"`
	Results      ctrfResults `json:"results"`
}

type ctrfResults struct {
	Tool        ctrfTool          `json:"tool"`
	Summary     ctrfSummary       `json:"summary"`
	Tests       []ctrfTest        `json:"tests"`
	Environment map[string]string `json:"environment"`
}

type ctrfTool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type ctrfSummary struct {
	Tests   int   `json:"tests"`
	Passed  int   `json:"passed"`
	Failed  int   `json:"failed"`
	Pending int   `json:"pending"`
	Skipped int   `json:"skipped"`
	Other   int   `json:"other"`
	Start   int64 `json:"start"`
	Stop    int64 `json:"stop"`
}

type ctrfTest struct {
	Name   string `json:"name"`
	Suite  string `json:"suite"`
	Status string `json:"status"`
	// Duration is in milliseconds.
	Duration int64  `json:"duration"`
	Message  string `json:"message,omitempty"`
	// RawStatus is the outcome in our words.
	RawStatus string `json:"rawStatus"`
	FilePath  string `json:"filePath,omitempty"`
}

// writeCTRF writes a test a case. As in JUnit, what counts against the backend has failed,
// and what it never promised is skipped.
func (r *ConformanceReport) writeCTRF(w io.Writer) error {
	i := r.Implementation
	out := ctrf{ReportFormat: "CTRF", SpecVersion: "0.0.0", Results: ctrfResults{
		Tool: ctrfTool{"gangctl-verify", r.Tool}, Tests: []ctrfTest{},
		Environment: map[string]string{"appName": i.Backend, "appVersion": i.Version, "operator": i.Operator, "kubernetes": i.Kubernetes, "provider": i.Provider},
	}}
	start, err := time.Parse(time.RFC3339, r.Date)
	if err != nil {
		return err
	}
	s := &out.Results.Summary
	var whole timeline.Time
	for _, p := range r.Profiles {
		for _, c := range p.Cases {
			t := ctrfTest{
				Name: c.Name, Suite: p.Name, Duration: time.Duration(c.Seconds).Milliseconds(), Message: c.Reason,
				RawStatus: label(c.Outcome, c.Claimed), FilePath: c.Timeline,
			}
			switch {
			case c.counts(r.Strict):
				t.Status = "failed"
				s.Failed++
			case c.Outcome == verdict.Pass:
				t.Status = "passed"
				s.Passed++
			case c.Outcome == verdict.Fail, c.Outcome == verdict.NotApplicable:
				t.Status = "skipped"
				s.Skipped++
			default:
				t.Status = "other"
				s.Other++
			}
			whole += c.Seconds
			s.Tests++
			out.Results.Tests = append(out.Results.Tests, t)
		}
	}
	s.Start, s.Stop = start.UnixMilli(), start.Add(time.Duration(whole)).UnixMilli()
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(out)
}
