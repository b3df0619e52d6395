package drive

import (
	"context"
	"errors"
	"time"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// controlFor is how long a control waits for what must not come.
const controlFor = scenario.Duration(8 * time.Second)

// doExpect waits until the expectation is met, then watches that it stays met. It
// watches to the end of the time even where it does not: what the gang holds
// meanwhile is part of what is to be seen.
func (d *driver) doExpect(ctx context.Context, e *scenario.Expect) error {
	met := func(s *timeline.State) bool { ok, _ := e.Met(s); return ok }
	if e.Denied != nil {
		return d.expectDenied(ctx, e)
	}
	if e.Within+e.For == 0 {
		return d.metNow(e)
	}
	ok := true
	if within := d.within(e); within > 0 {
		var err error
		if ok, err = d.sees(ctx, within, met); err != nil {
			return err
		}
	}
	if e.For > 0 && ok {
		begun := time.Now()
		window := e.Hold(d.Begin.Patience, time.Duration(d.Begin.Timeout))
		broken, err := d.sees(ctx, window, func(s *timeline.State) bool { return !met(s) })
		if err != nil {
			return err
		}
		if broken {
			ok = false
			if err := pause(ctx, window-time.Since(begun)); err != nil {
				return err
			}
		}
	}
	if !ok {
		return errUnmet
	}
	return nil
}

// metNow says whether it is met as things are.
func (d *driver) metNow(e *scenario.Expect) error {
	ok := true
	d.rec.Look(func(s *timeline.State) { ok, _ = e.Met(s) })
	if !ok {
		return errUnmet
	}
	return nil
}

func (d *driver) within(e *scenario.Expect) time.Duration {
	c := d.Scenario.Spec.Control
	// Until its scheduler is stopped, or it has done what it does, a control goes like the
	// subject.
	if d.Begin.Run != timeline.Control || (c.Scheduler == scenario.StoppedScheduler && !d.stopped) || (c.Does != nil && !d.spoiled) {
		return e.Within.Scale(d.Begin.Patience)
	}
	wait := c.For
	if wait == 0 {
		wait = controlFor
	}
	return min(wait, e.Within).Scale(d.Begin.Patience)
}

// sees waits for something until a time has passed, and says whether it came.
func (d *driver) sees(ctx context.Context, within time.Duration, what func(*timeline.State) bool) (bool, error) {
	passed := errors.New("the time has passed")
	ctx, cancel := context.WithTimeoutCause(ctx, within, passed)
	defer cancel()
	err := d.rec.Until(ctx, what)
	if errors.Is(err, passed) {
		return false, nil
	}
	return err == nil, err
}
