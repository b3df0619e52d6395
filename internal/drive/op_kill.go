package drive

import (
	"context"

	"github.com/gangctl/gangctl/internal/scenario"
)

// doKill ends a component at once, and starts it again where the step says so.
func (d *driver) doKill(ctx context.Context, k *scenario.Kill) error {
	if err := d.Cluster.Stop(ctx, k.Component); err != nil || !k.Restart {
		return err
	}
	return d.Cluster.Start(ctx, k.Component)
}
