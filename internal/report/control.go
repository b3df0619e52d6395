package report

import (
	"fmt"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
	"github.com/gangctl/gangctl/internal/verdict"
)

// controlName says what the control is, for a picture's caption.
func controlName(c Case) string {
	if does := c.spec().Control.Does; does != nil {
		_, op := does.Op()
		return op.String()
	}
	if c.spec().Control.Scheduler == scenario.StoppedScheduler {
		return "scheduler stopped"
	}
	return "default scheduler"
}

// controlShowed says in a few words what the control showed; "" where none ran.
func controlShowed(c Case) string {
	v := c.verdict()
	if v.Control == nil {
		return ""
	}
	if v.ControlReason != "" {
		return "proves nothing: " + v.ControlReason
	}
	if c.spec().Control.Does != nil {
		return spoiltShowed(v.Control)
	}
	if c.spec().Control.Scheduler == scenario.StoppedScheduler {
		return stoppedShowed(v)
	}
	control := c.spec().Control
	return defaultShowed(v.Control, control.MustBreak(v.Operator != ""))
}

// stoppedShowed is for a liveness case. Pods that were bound before the stop are
// part of the case.
func stoppedShowed(v *verdict.Verdict) string {
	if v.Control.BoundPods == 0 {
		return "nothing was bound"
	}
	return "nothing more was bound"
}

// spoiltShowed is for a control that does something: what was not met for it.
func spoiltShowed(run *verdict.Run) string {
	for _, x := range run.Expectations {
		if !x.Met {
			return "not met: " + x.Text
		}
	}
	return ""
}

// defaultShowed is for a safety case: the default scheduler must break the property.
func defaultShowed(run *verdict.Run, breaks scenario.Property) string {
	n := 0
	for _, x := range run.Violations {
		if x.Property == breaks {
			n++
		}
	}
	text := fmt.Sprintf("broke %s", breaks)
	if n > 1 {
		text += fmt.Sprintf(" %d times", n)
	}
	var longest timeline.Time
	for _, h := range run.Ledger {
		longest = max(longest, h.To-h.From)
	}
	if run.IdleGPUSeconds > 0 && longest > 0 {
		text += fmt.Sprintf(": a gang was partly bound for %s, %s GPU-seconds idle in all", seconds(longest), figure(run.IdleGPUSeconds))
	}
	return text
}
