package scenario

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/Masterminds/semver/v3"
)

func (s *Scenario) validate() error {
	if s.APIVersion != "gangctl.dev/v1alpha1" || s.Kind != "Scenario" {
		return fmt.Errorf("apiVersion and kind must be gangctl.dev/v1alpha1 Scenario, not %q %q", s.APIVersion, s.Kind)
	}
	for _, f := range []struct{ name, value string }{
		{"description", s.Spec.Description}, {"profile", s.Spec.Profile}, {"feature", s.Spec.Feature},
	} {
		if f.value == "" {
			return fmt.Errorf("spec.%s: must be set", f.name)
		}
	}
	if s.Spec.Settle < 0 {
		return fmt.Errorf("spec.settle: %s must not be negative", s.Spec.Settle)
	}
	if k := s.Spec.Kubernetes; k != "" {
		if _, err := semver.NewConstraint(k); err != nil {
			return fmt.Errorf("spec.kubernetes: %q: %w", k, err)
		}
	}
	if err := validateNeeds(s.Spec.Needs); err != nil {
		return fmt.Errorf("spec.%w", err)
	}
	if len(s.Spec.Steps) == 0 {
		return errors.New("spec.steps: there must be one")
	}
	if err := s.validateJobs(); err != nil {
		return err
	}
	names := map[string]bool{}
	if err := validateSteps("spec.steps", s.Spec.Steps, names); err != nil {
		return err
	}
	if err := s.Spec.Control.validate(names); err != nil {
		return fmt.Errorf("spec.control.%w", err)
	}
	if names[DoesStep] {
		return fmt.Errorf("spec.steps: no step may be named %q, which is the control's own", DoesStep)
	}
	if unmet := s.Spec.Control.Unmet; unmet != "" {
		expects := false
		s.each(func(step *Step) { expects = expects || step.Name == unmet && step.Expect != nil })
		if !expects {
			return fmt.Errorf("spec.control.unmet: %q expects nothing", unmet)
		}
	}
	return s.validateNames()
}

// CheckExpectations checks what a judge goes by, of a case that a timeline holds: what was
// decoded when it was recorded may be by other rules now. The error names the field.
func (s *Scenario) CheckExpectations() error {
	if shows := s.Spec.Control.Shows; shows != nil && shows.Bound == nil {
		return errors.New("spec.control.shows: bound must be set")
	}
	return checkExpectations("spec.steps", s.Spec.Steps)
}

func checkExpectations(at string, steps []Step) error {
	for i := range steps {
		where := fmt.Sprintf("%s[%d]", at, i)
		if e := steps[i].Expect; e != nil {
			if err := e.validate(); err != nil {
				return fmt.Errorf("%s.expect.%w", where, err)
			}
		}
		if r := steps[i].Repeat; r != nil {
			if err := checkExpectations(where+".repeat.steps", r.Steps); err != nil {
				return err
			}
		}
	}
	return nil
}

// validateNames checks that every gang that is spoken of is submitted somewhere.
func (s *Scenario) validateNames() error {
	submits := Submits(s.Spec.Steps)
	known := map[string]map[string]int{} // by glob: cases speak of the same gangs again and again
	check := func(at, glob string, bound *Bound) error {
		if len(glob) > maxGlob {
			return fmt.Errorf("%s.gang: must have at most %d characters, has %d", at, maxGlob, len(glob))
		}
		roles, seen := known[glob]
		if !seen {
			roles = rolesOf(submits, glob)
			known[glob] = roles
		}
		if roles == nil {
			return fmt.Errorf("%s.gang: no step submits %q", at, glob)
		}
		if bound == nil {
			return nil
		}
		if err := bound.validate(roles); err != nil {
			return fmt.Errorf("%s.%w", at, err)
		}
		return nil
	}
	var walk func(at string, steps []Step) error
	walk = func(at string, steps []Step) error {
		for i := range steps {
			var err error
			where := fmt.Sprintf("%s[%d]", at, i)
			switch step := &steps[i]; {
			case step.Expect != nil && step.Expect.Gang != "":
				err = check(where+".expect", step.Expect.Gang, step.Expect.Bound)
			case step.Finish != nil:
				err = check(where+".finish", step.Finish.Gang, nil)
			case step.Delete != nil:
				err = check(where+".delete", step.Delete.Gang, nil)
			case step.Scale != nil:
				err = checkScale(where+".scale", submits, step.Scale)
			case step.Suspend != nil:
				err = check(where+".suspend", step.Suspend.Gang, nil)
			case step.Complete != nil:
				err = check(where+".complete", step.Complete.Gang, nil)
			case step.Kill != nil && step.Kill.After != nil:
				err = check(where+".kill.after", step.Kill.After.Gang, &Bound{Count: step.Kill.After.Bound})
			case step.Repeat != nil:
				err = walk(where+".repeat.steps", step.Repeat.Steps)
			}
			if err != nil {
				return err
			}
		}
		return nil
	}
	if shows := s.Spec.Control.Shows; shows != nil {
		if err := check("spec.control.shows", shows.Gang, shows.Bound); err != nil {
			return err
		}
	}
	return walk("spec.steps", s.Spec.Steps)
}

// maxGlob is far more than a gang's name has; matching takes longer than linear time.
const maxGlob = 253

// rolesOf are the roles of the gangs that a glob stands for, and the most pods that one of
// them has of each; nil where it stands for none.
func rolesOf(submits []*Submit, glob string) map[string]int {
	var roles map[string]int
	for _, sub := range submits {
		for _, name := range sub.Names() {
			if like(glob, name) {
				roles = most(roles, sub.members())
				break
			}
		}
		for _, name := range sub.Names() {
			for first, r := range sub.First(name) {
				if like(glob, first) {
					roles = most(roles, []Role{r})
				}
			}
		}
	}
	return roles
}

func like(glob, name string) bool {
	ok, err := path.Match(glob, name)
	return ok && err == nil
}

// most adds roles to those that are known, each with the most pods.
func most(known map[string]int, roles []Role) map[string]int {
	if known == nil {
		known = map[string]int{}
	}
	for _, r := range roles {
		known[r.Name] = max(known[r.Name], r.Count)
	}
	return known
}

func validateSteps(at string, steps []Step, names map[string]bool) error {
	for i := range steps {
		step := &steps[i]
		where := fmt.Sprintf("%s[%d]", at, i)
		name, op := step.op()
		if op == nil {
			return fmt.Errorf("%s: must have one operation of %s", where, strings.Join(Operations(), ", "))
		}
		if n := len(step.set()); n > 1 {
			return fmt.Errorf("%s: has %d operations, must have one", where, n)
		}
		if err := op.validate(); err != nil {
			return fmt.Errorf("%s.%s.%w", where, name, err)
		}
		if step.Name != "" {
			if names[step.Name] {
				return fmt.Errorf("%s.name: %q is the name of an earlier step", where, step.Name)
			}
			names[step.Name] = true
		}
		if r := step.Repeat; r != nil {
			if err := validateSteps(where+".repeat.steps", r.Steps, names); err != nil {
				return err
			}
		}
	}
	return nil
}

// exactlyOne says that one of the conditions holds, and no more.
func exactlyOne(conditions ...bool) bool {
	n := 0
	for _, c := range conditions {
		if c {
			n++
		}
	}
	return n == 1
}
