package verdict

import (
	"fmt"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// misbehaves says what is missing for the control to be as it must; "" is nothing.
func misbehaves(want scenario.Control, j *judge, got Run) string {
	if got.Outcome == Inconclusive {
		return got.Reason
	}
	if want.Does != nil {
		return j.spoils(want.Unmet, got)
	}
	if want.Scheduler == scenario.StoppedScheduler {
		if !j.stopped {
			return "the scheduler was never stopped"
		}
		if b := j.afterStop; b != nil {
			return fmt.Sprintf("with the scheduler stopped, %s was bound to %s at %ss", b.Pod, b.Node, b.At)
		}
		if got.Outcome == Pass {
			return "with the scheduler stopped, every expectation was met"
		}
		return ""
	}
	breaks := want.MustBreak(j.begin.Operator != "")
	broken := false
	for _, x := range got.Violations {
		broken = broken || x.Property == breaks
	}
	if !broken {
		return fmt.Sprintf("on the default scheduler, %s held", breaks)
	}
	if s := want.Shows; s != nil {
		g := j.state.Gangs[s.Gang]
		switch {
		case g == nil:
			return fmt.Sprintf("on the default scheduler, there was no gang %s at the end", s.Gang)
		case !s.Bound.Met(g):
			return fmt.Sprintf("on the default scheduler, %s had %v bound, not %s", s.Gang, g.BoundByRole(), s.Bound)
		case g.Held(timeline.GPU) != int64(s.GPUs):
			return fmt.Sprintf("on the default scheduler, %s held %d GPUs, not %d", s.Gang, g.Held(timeline.GPU), s.GPUs)
		}
	}
	return ""
}
