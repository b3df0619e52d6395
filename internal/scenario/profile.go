package scenario

import (
	"fmt"
	"io/fs"

	"github.com/gangctl/gangctl/internal/strict"
)

// Profile is a group of cases that run together.
type Profile struct {
	Name string `json:"name"`
	// About says in a sentence what its cases have in common.
	About string `json:"about"`
	// Slow says that it takes minutes: it runs only where it is asked for by name.
	Slow bool `json:"slow,omitempty"`
	// Rows are those of the matrix that are held to it: RowsBackends, RowsOperators, or both.
	Rows []string `json:"rows,omitempty"`
	// Kinds are the kinds of job that it is about, for the matrix; none is every kind.
	Kinds []string `json:"kinds,omitempty"`
}

// The values of Profile.Rows.
const (
	// RowsBackends are the rows of a backend alone.
	RowsBackends = "backends"
	// RowsOperators are the rows of an operator on a backend.
	RowsOperators = "operators"
)

// LoadProfiles reads the profiles, and checks that every case names one.
func LoadProfiles(tree fs.FS, file string, cases []*Scenario) ([]Profile, error) {
	data, err := fs.ReadFile(tree, file)
	if err != nil {
		return nil, err
	}
	var all []Profile
	if err := strict.YAML(file, data, &all); err != nil {
		return nil, err
	}
	known := map[string]bool{}
	for _, p := range all {
		for _, r := range p.Rows {
			if r != RowsBackends && r != RowsOperators {
				return nil, fmt.Errorf("%s: %s: rows: %q is neither %s nor %s", file, p.Name, r, RowsBackends, RowsOperators)
			}
		}
		known[p.Name] = true
	}
	for _, c := range cases {
		if !known[c.Spec.Profile] {
			return nil, fmt.Errorf("case %s: spec.profile: %q is not in %s", c.Metadata.Name, c.Spec.Profile, file)
		}
	}
	return all, nil
}
