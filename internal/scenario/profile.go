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
	// Jobs says whether an operator on a backend is held to it, in the matrix: "also",
	// or "only", if a backend alone is not; "" is not at all.
	Jobs string `json:"jobs,omitempty"`
	// Kinds are the kinds of job that it is about, for the matrix; none is every kind.
	Kinds []string `json:"kinds,omitempty"`
}

// The values of Profile.Jobs.
const (
	JobsAlso = "also"
	JobsOnly = "only"
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
		if p.Jobs != "" && p.Jobs != JobsAlso && p.Jobs != JobsOnly {
			return nil, fmt.Errorf("%s: %s: jobs: %q is neither %s nor %s", file, p.Name, p.Jobs, JobsAlso, JobsOnly)
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
