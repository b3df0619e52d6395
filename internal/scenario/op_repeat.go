package scenario

import (
	"fmt"
	"iter"
)

// Repeat runs steps several times over, with the same names.
type Repeat struct {
	// Times is how often.
	Times int `json:"times"`
	// Steps are what is repeated; none of them is a repeat itself.
	Steps []Step `json:"steps"`
}

func (r *Repeat) validate() error {
	if r.Times < 1 || len(r.Steps) == 0 {
		return fmt.Errorf("times: %d must be at least 1, and steps must not be empty", r.Times)
	}
	for i := range r.Steps {
		if r.Steps[i].Repeat != nil {
			return fmt.Errorf("steps[%d]: a repeat within a repeat is not supported", i)
		}
	}
	return nil
}

func (r *Repeat) String() string { return fmt.Sprintf("%d times over", r.Times) }

// StepAt finds a step by its index. Indexes count from 1 in the order of the
// file, the steps of a repeated block included, once each; nil is none.
func StepAt(steps []Step, index int) *Step {
	found, _ := stepAt(steps, index)
	return found
}

func stepAt(steps []Step, index int) (*Step, int) {
	for i := range steps {
		if index--; index == 0 {
			return &steps[i], 0
		}
		if r := steps[i].Repeat; r != nil {
			var found *Step
			if found, index = stepAt(r.Steps, index); found != nil {
				return found, 0
			}
		}
	}
	return nil, index
}

// Each goes through the steps, those of repeated blocks once.
func Each(steps []Step) iter.Seq[*Step] {
	return func(yield func(*Step) bool) {
		for i := range steps {
			if !yield(&steps[i]) {
				return
			}
			if r := steps[i].Repeat; r != nil {
				for s := range Each(r.Steps) {
					if !yield(s) {
						return
					}
				}
			}
		}
	}
}

// LastStep is the index of the last step, and its round; 0 outside a repeated block.
func LastStep(steps []Step) (index, round int) {
	for i := range steps {
		index, round = index+1, 0
		if r := steps[i].Repeat; r != nil {
			index, round = index+len(r.Steps), r.Times
		}
	}
	return index, round
}
