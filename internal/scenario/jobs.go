package scenario

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Jobs are what a case of jobs is about.
type Jobs struct {
	// Kinds are the kinds of job, such as MPIJob; none is every kind.
	Kinds []string `json:"kinds,omitempty"`
}

// First are the names of the pods that come before a gang's own, by role: <gang>-<role>.
func (s *Submit) First(gang string) map[string]Role {
	found := map[string]Role{}
	for _, r := range s.Roles {
		if r.First {
			found[gang+"-"+r.Name] = r
		}
	}
	return found
}

// HasFirst says whether the name is one of pods that come before a gang's own.
func (s *Submit) HasFirst(name string) bool {
	return slices.ContainsFunc(s.Roles, func(r Role) bool {
		gang, ok := strings.CutSuffix(name, "-"+r.Name)
		return r.First && ok && s.Has(gang)
	})
}

// validateJobs checks that what only jobs have is in a case of jobs.
func (s *Scenario) validateJobs() error {
	if s.Spec.Jobs != nil {
		for i, k := range s.Spec.Jobs.Kinds {
			if k == "" || slices.Contains(s.Spec.Jobs.Kinds[:i], k) {
				return fmt.Errorf("spec.jobs.kinds[%d]: %q must be set, and only once", i, k)
			}
		}
		return nil
	}
	for step := range Each(s.Spec.Steps) {
		sub := step.Submit
		switch {
		case step.Scale != nil, step.Suspend != nil,
			sub != nil && (sub.GivesUp || len(sub.First(sub.Gang)) > 0),
			step.Expect != nil && (step.Expect.Refused || step.Expect.OrRefused):
			return errors.New("spec.jobs: must be set: scale, suspend, givesUp, first, refused and orRefused are for jobs")
		}
	}
	return nil
}

// checkScale checks a scale step against the step that submits its gang.
func checkScale(at string, submits []*Submit, x *Scale) error {
	for _, sub := range submits {
		if !slices.Contains(sub.Names(), x.Gang) {
			continue
		}
		if _, err := sub.Scaled(x.Role, x.Count); err != nil {
			return fmt.Errorf("%s.%w", at, err)
		}
		return nil
	}
	return fmt.Errorf("%s.gang: no step submits %q", at, x.Gang)
}
