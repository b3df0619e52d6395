package report

import (
	"io"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/verdict"
)

// requirement is an entry of the CNCF's Kubernetes AI conformance checklist.
type requirement struct {
	ID          string   `json:"id"`
	Description string   `json:"description"`
	Level       string   `json:"level"`
	Status      string   `json:"status"`
	Evidence    []string `json:"evidence"`
	Notes       string   `json:"notes"`
}

// writeCNCF writes the checklist's gang_scheduling entry. Implemented is what passed every
// case of the core feature, and nothing less.
func (r *ConformanceReport) writeCNCF(w io.Writer) error {
	e := requirement{
		ID: "gang_scheduling", Level: "MUST", Status: "Implemented", Evidence: []string{},
		Description: "At least one gang scheduling solution that ensures all-or-nothing scheduling for distributed AI workloads can be installed and operates.",
	}
	core, passed := 0, 0
	for _, p := range r.Profiles {
		for _, c := range p.Cases {
			if c.Feature != scenario.Core || c.Outcome == verdict.NotApplicable {
				continue
			}
			core++
			e.Evidence = append(e.Evidence, "file://junit.xml#"+c.Name)
			if c.Outcome == verdict.Pass {
				passed++
			}
		}
	}
	switch {
	case core == 0:
		e.Status = "N/A"
	case passed == 0:
		e.Status = "Not Implemented"
	case passed < core:
		e.Status = "Partially Implemented"
	}
	e.Notes = r.Summary() + ". Each case has a control that must go wrong. Again: " + r.Reproduce
	return writeYAML(w, e)
}
