package report

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/strict"
	"github.com/gangctl/gangctl/internal/verdict"
)

// Read reads a report.yaml, or that of a folder.
func Read(path string) (*ConformanceReport, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		path = filepath.Join(path, "report.yaml")
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	r := &ConformanceReport{}
	if err := strict.YAML(path, data, r); err != nil {
		return nil, err
	}
	if r.Kind != "ConformanceReport" {
		return nil, fmt.Errorf("%s: kind: %q must be ConformanceReport", path, r.Kind)
	}
	return r, nil
}

// Diff is what differs between two reports.
type Diff struct {
	From    Implementation `json:"from"`
	To      Implementation `json:"to"`
	Changes []Change       `json:"changes"`
	// Same is how many cases have the same outcome in both.
	Same int `json:"same"`
}

// Change is a case whose outcome differs.
type Change struct {
	Case    string `json:"case"`
	Profile string `json:"profile"`
	// From and To are the outcomes, "" where the case was not run.
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
	// Reason is that of the later outcome, or of the earlier where the later is a Pass.
	Reason string `json:"reason,omitempty"`
	// Worse says that the case passed before and does not now.
	Worse bool `json:"worse,omitempty"`
}

// Compare says what changed between two reports, by profile and case.
func Compare(from, to *ConformanceReport) Diff {
	d := Diff{From: from.Implementation, To: to.Implementation, Changes: []Change{}}
	before, after := byName(from), byName(to)
	add := func(profile, name string) {
		x := change(before[name], after[name])
		if x.From == x.To {
			d.Same++
			return
		}
		x.Case, x.Profile = name, profile
		d.Changes = append(d.Changes, x)
	}
	for _, p := range from.Profiles {
		for _, c := range p.Cases {
			add(p.Name, c.Name)
		}
	}
	for _, p := range to.Profiles {
		for _, c := range p.Cases {
			if before[c.Name] == nil {
				add(p.Name, c.Name)
			}
		}
	}
	return d
}

func byName(r *ConformanceReport) map[string]*CaseResult {
	all := map[string]*CaseResult{}
	for _, p := range r.Profiles {
		for i := range p.Cases {
			all[p.Cases[i].Name] = &p.Cases[i]
		}
	}
	return all
}

func change(from, to *CaseResult) Change {
	x := Change{}
	if from != nil {
		x.From, x.Reason = label(from.Outcome, from.Claimed), from.Reason
	}
	if to != nil {
		x.To = label(to.Outcome, to.Claimed)
		switch {
		case to.Outcome == verdict.Pass && x.Reason != "":
			x.Reason = "before: " + x.Reason
		case to.Outcome != verdict.Pass:
			x.Reason = to.Reason
		}
	}
	x.Worse = from != nil && to != nil && from.Outcome == verdict.Pass && to.Outcome != verdict.Pass
	return x
}

// Text is the difference for people, a line a case.
func (d Diff) Text() string {
	text := fmt.Sprintf("from  %s\nto    %s\n\n", d.From, d.To)
	for _, x := range d.Changes {
		mark := "~"
		switch {
		case x.Worse:
			mark = "-"
		case x.To == string(verdict.Pass):
			mark = "+"
		}
		text += fmt.Sprintf("%s %-32s %s → %s\n", mark, x.Case, orNot(x.From), orNot(x.To))
		if x.Reason != "" {
			text += fmt.Sprintf("    %s\n", clip(plain(x.Reason), messageLength))
		}
	}
	return text + fmt.Sprintf("%s with the same outcome in both\n", scenario.Count(d.Same, "case"))
}

func orNot(outcome string) string {
	if outcome == "" {
		return "not run"
	}
	return outcome
}
