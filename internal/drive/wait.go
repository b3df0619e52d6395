package drive

import (
	"context"
	"fmt"
	"time"

	"github.com/gangctl/gangctl/internal/scenario"
)

// bounded is the deadline of what the cluster itself must do between steps, such
// as making a node ready or a pod go: it is nothing that a case measures.
func (d *driver) bounded(ctx context.Context) (context.Context, context.CancelFunc) {
	return d.boundedBy(ctx, time.Minute)
}

func (d *driver) boundedBy(ctx context.Context, time time.Duration) (context.Context, context.CancelFunc) {
	room := scenario.Duration(time).Scale(d.Begin.Patience)
	return context.WithTimeoutCause(ctx, room, fmt.Errorf("the cluster did not do it within %s", room))
}

// pause lets time pass.
func pause(ctx context.Context, t time.Duration) error {
	timer := time.NewTimer(t)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// insist asks the API server again and again: what its admission has seen can't be watched.
func insist(ctx context.Context, done func() (bool, error)) error {
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		if ok, err := done(); ok || err != nil {
			return err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
