package drive

import (
	"context"
	"time"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// killWithin is how long a kill waits for its moment.
const killWithin = scenario.Duration(30 * time.Second)

// doKill ends a component at once, or when a gang is bound so far, and starts it again where the step says so.
func (d *driver) doKill(ctx context.Context, k *scenario.Kill) error {
	if m := k.After; m != nil {
		// Where it never comes, an expectation will say so.
		if _, err := d.sees(ctx, killWithin.Scale(d.Begin.Patience), func(s *timeline.State) bool {
			g := s.Gangs[m.Gang]
			return g != nil && g.Bound() >= m.Bound
		}); err != nil {
			return err
		}
	}
	err := d.Cluster.Stop(ctx, k.Component)
	// What a control has stopped stays so.
	if err != nil || !k.Restart || d.stopped && k.Component == "scheduler" {
		return err
	}
	return d.Cluster.Start(ctx, k.Component)
}
