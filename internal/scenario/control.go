package scenario

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Control is the run that must go wrong: a safety case on the plain default
// scheduler, which must break the property; a liveness case with the backend's
// scheduler stopped, when nothing may start; or a case with a step that spoils what
// another step expects.
type Control struct {
	// Scheduler is default-scheduler for a safety case, or stopped for a liveness case; it
	// is left out where the control does something.
	Scheduler string `json:"scheduler,omitempty"`
	// Does is what the control does besides, on the backend: what goes wrong on purpose. It
	// comes before the step that before names, or in the place of the one that instead does.
	Does *Step `json:"does,omitempty"`
	// Instead names the step whose place it takes.
	Instead string `json:"instead,omitempty"`
	// Unmet names the expect step that must not be met then.
	Unmet string `json:"unmet,omitempty"`
	// Breaks is the property that the default scheduler must violate: all-or-nothing,
	// deadlock or together.
	Breaks Property `json:"breaks,omitempty"`
	// JobsBreak is the property instead, where an operator makes the pods of jobs: in
	// what order is its own affair.
	JobsBreak Property `json:"jobsBreak,omitempty"`
	// Shows is how the violation must look when the run ends.
	Shows *Shows `json:"shows,omitempty"`
	// Before names the step before which the scheduler is stopped, or the control does
	// something; the first by default.
	Before string `json:"before,omitempty"`
	// Scale is how much of the nodes that a step adds, and of a gang's copies, the control
	// has where the scheduler is stopped: 0.1 is a tenth, at least one. 1 by default.
	Scale float64 `json:"scale,omitempty"`
	// For is how long the control waits where the subject waits within a deadline:
	// what it waits for must not come. 8s by default.
	For Duration `json:"for,omitempty"`
}

// Shows is the state of one gang.
type Shows struct {
	// Gang is the gang's name.
	Gang string `json:"gang"`
	// Bound is what it has bound.
	Bound *Bound `json:"bound"`
	// GPUs is how many it holds.
	GPUs int `json:"gpus"`
}

// The ways to take the gang scheduler away.
const (
	DefaultScheduler = "default-scheduler"
	StoppedScheduler = "stopped"
)

// Property is something that a verdict is about. docs/semantics.md defines each.
type Property string

// The properties.
const (
	// AllOrNothing: a gang has no pod bound or at least its minimum, but for the settle window.
	AllOrNothing Property = "all-or-nothing"
	// Capacity: no node is asked for more than it has.
	Capacity Property = "capacity"
	// Liveness: what fits is bound within its deadline.
	Liveness Property = "liveness"
	// Membership: the group that the backend sees is the group we meant.
	Membership Property = "membership"
	// Deadlock: no two gangs hold parts of each other's room.
	Deadlock Property = "deadlock"
	// Together: the pods of a gang that is to be in one domain are in one.
	Together Property = "together"
)

// Scaled is how much of a number the control has.
func (c *Control) Scaled(n int) int {
	if c.Scale == 0 || n == 0 {
		return n
	}
	return max(1, int(math.Round(float64(n)*c.Scale)))
}

// MustBreak is the property that the default scheduler must violate, of jobs that an operator
// makes pods of, or of pods.
func (c *Control) MustBreak(jobs bool) Property {
	if jobs && c.JobsBreak != "" {
		return c.JobsBreak
	}
	return c.Breaks
}

func (c *Control) validate(steps map[string]bool) error {
	if c.Does != nil {
		return c.validateDoes(steps)
	}
	if c.Instead != "" || c.Unmet != "" {
		return errors.New("does: must be set for instead and unmet")
	}
	switch c.Scheduler {
	case DefaultScheduler:
		if !slices.Contains([]Property{AllOrNothing, Deadlock, Together}, c.Breaks) {
			return fmt.Errorf("breaks: %q must be %s, %s or %s", c.Breaks, AllOrNothing, Deadlock, Together)
		}
		if c.JobsBreak != "" && c.JobsBreak != AllOrNothing {
			return fmt.Errorf("jobsBreak: %q must be %s", c.JobsBreak, AllOrNothing)
		}
		if c.Before != "" {
			return errors.New("before: is for the stopped scheduler")
		}
		if c.Shows != nil && (c.Shows.Gang == "" || c.Shows.Bound == nil || c.Shows.GPUs < 0) {
			return errors.New("shows: gang and bound must be set, and gpus not negative")
		}
	case StoppedScheduler:
		if c.Breaks != "" || c.JobsBreak != "" || c.Shows != nil {
			return errors.New("breaks: breaks, jobsBreak and shows are for the default scheduler")
		}
		if c.Before != "" && !steps[c.Before] {
			return fmt.Errorf("before: no step is named %q", c.Before)
		}
	default:
		return fmt.Errorf("scheduler: %q must be %s", c.Scheduler, strings.Join([]string{DefaultScheduler, StoppedScheduler}, " or "))
	}
	if c.Scale < 0 || c.Scale > 1 || c.Scale > 0 && c.Scheduler != StoppedScheduler {
		return fmt.Errorf("scale: %v must be from 0 to 1, and is for the stopped scheduler", c.Scale)
	}
	if c.For < 0 {
		return fmt.Errorf("for: %s must not be negative", c.For)
	}
	return nil
}
