package scenario

import (
	"errors"
	"fmt"
	"slices"
)

// DoesStep is the name of the step that a control does besides.
const DoesStep = "control"

func (c *Control) validateDoes(steps map[string]bool) error {
	if c.Scheduler != "" || c.Breaks != "" || c.JobsBreak != "" || c.Shows != nil || c.Scale != 0 {
		return errors.New("does: goes with before, instead, unmet and for only")
	}
	name, op := c.Does.op()
	if op == nil || len(c.Does.set()) != 1 || c.Does.Name != "" {
		return errors.New("does: must be one operation, without a name")
	}
	if err := op.validate(); err != nil {
		return fmt.Errorf("does.%s.%w", name, err)
	}
	if c.Before != "" && c.Instead != "" {
		return fmt.Errorf("before: %q and instead: %q exclude each other", c.Before, c.Instead)
	}
	for _, x := range []struct{ field, name string }{{"before", c.Before}, {"instead", c.Instead}, {"unmet", c.Unmet}} {
		if x.name != "" && !steps[x.name] {
			return fmt.Errorf("%s: no step is named %q", x.field, x.name)
		}
	}
	if c.Unmet == "" {
		return errors.New("unmet: must name the expect step that is not met then")
	}
	if c.For < 0 {
		return fmt.Errorf("for: %s must not be negative", c.For)
	}
	return nil
}

// Controlled is the case as its control runs it: with the step that goes wrong in it.
func (s *Scenario) Controlled() *Scenario {
	c := s.Spec.Control
	if c.Does == nil {
		return s
	}
	own := *c.Does
	own.Name = DoesStep
	with := *s
	with.Spec.Steps = c.put(own, s.Spec.Steps)
	if c.Before == "" && c.Instead == "" {
		with.Spec.Steps = slices.Insert(slices.Clone(s.Spec.Steps), 0, own)
	}
	return &with
}

// put puts the step where it belongs.
func (c *Control) put(own Step, steps []Step) []Step {
	var all []Step
	for _, s := range steps {
		if r := s.Repeat; r != nil {
			block := *r
			block.Steps = c.put(own, r.Steps)
			s.Repeat = &block
		}
		switch {
		case s.Name != "" && s.Name == c.Before:
			all = append(all, own, s)
		case s.Name != "" && s.Name == c.Instead:
			all = append(all, own)
		default:
			all = append(all, s)
		}
	}
	return all
}
