package report

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/gangctl/gangctl/internal/strict"
	"github.com/gangctl/gangctl/internal/verdict"
)

// Matrix is what each release showed when it last ran: one row each, by name.
type Matrix []Row

// Row is one release's result, in the lab.
type Row struct {
	// Release is backend@version, or operator@version/Kind on one.
	Release    string `json:"release"`
	Kubernetes string `json:"kubernetes"`
	// Of is the digest of the data that ran: bundle, cases and lab.
	Of     string `json:"of"`
	Passed int    `json:"passed"`
	// Failed are claimed cases; NotClaimed failed, too, and nobody promised them.
	Failed       []string `json:"failed,omitempty"`
	NotClaimed   []string `json:"notClaimed,omitempty"`
	Inconclusive []string `json:"inconclusive,omitempty"`
	// NotApplicable are cases that can't be written down here.
	NotApplicable []string `json:"notApplicable,omitempty"`
}

// ReadMatrix decodes a matrix file.
func ReadMatrix(file string, data []byte) (Matrix, error) {
	var m Matrix
	return m, strict.YAML(file, data, &m)
}

// YAML is the matrix as a file, byte-stable.
func (m Matrix) YAML() ([]byte, error) { return yaml.Marshal(m) }

// Find returns the release's row, or nil.
func (m Matrix) Find(release string) *Row {
	for i := range m {
		if m[i].Release == release {
			return &m[i]
		}
	}
	return nil
}

// With returns the matrix with a row put in or replaced.
func (m Matrix) With(r Row) Matrix {
	if old := m.Find(r.Release); old != nil {
		*old = r
		return m
	}
	m = append(m, r)
	slices.SortFunc(m, func(a, b Row) int { return cmp.Compare(a.Release, b.Release) })
	return m
}

// Row sums the report up.
func (r *ConformanceReport) Row(of string) Row {
	i := r.Implementation
	release := i.Backend + "@" + i.Version
	if i.Operator != "" {
		release = i.Operator + " on " + release
	}
	row := Row{Release: release, Kubernetes: r.Implementation.Kubernetes, Of: of}
	for _, p := range r.Profiles {
		for _, c := range p.Cases {
			switch {
			case c.Outcome == verdict.Pass:
				row.Passed++
			case c.Outcome == verdict.NotApplicable:
				row.NotApplicable = append(row.NotApplicable, c.Name)
			case c.Outcome == verdict.Inconclusive:
				row.Inconclusive = append(row.Inconclusive, c.Name)
			case c.Outcome == verdict.Fail && c.Claimed:
				row.Failed = append(row.Failed, c.Name)
			case c.Outcome == verdict.Fail:
				row.NotClaimed = append(row.NotClaimed, c.Name)
			}
		}
	}
	return row
}

// Outcome is the row in words, for a table.
func (r *Row) Outcome() string {
	if r == nil {
		return "not run"
	}
	words := []string{fmt.Sprintf("%d passed", r.Passed)}
	for _, x := range []struct {
		what  string
		cases []string
	}{{"**failed**", r.Failed}, {"failed, not claimed", r.NotClaimed}, {"inconclusive", r.Inconclusive}, {"not applicable", r.NotApplicable}} {
		if len(x.cases) > 0 {
			words = append(words, x.what+": "+strings.Join(x.cases, ", "))
		}
	}
	return strings.Join(words, "; ")
}
