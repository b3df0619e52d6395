package verdict

import (
	"fmt"

	"github.com/gangctl/gangctl/internal/scenario"
)

// spoils says what is missing for a control that does something to have spoilt the
// expectation of a name; "" is nothing.
func (j *judge) spoils(unmet string, got Run) string {
	reached := false
	for _, x := range got.Expectations {
		step := scenario.StepAt(j.spec.Spec.Steps, x.Step)
		if step == nil || step.Name != unmet {
			continue
		}
		if !x.Met {
			return ""
		}
		reached = true
	}
	if !reached {
		return fmt.Sprintf("its run did not come to the expectation %s: %s", unmet, got.Reason)
	}
	return fmt.Sprintf("the expectation %s was met all the same", unmet)
}
