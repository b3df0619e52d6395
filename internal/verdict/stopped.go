package verdict

import "github.com/gangctl/gangctl/internal/timeline"

// binder follows the scheduler. Where a step starts it again, what it binds is no sign of
// a stop that failed: the last stop counts.
func (j *judge) binder(state string) {
	switch state {
	case timeline.Stopped:
		j.stopped = true
	case timeline.Started:
		j.stopped, j.afterStop = false, nil
	}
}
