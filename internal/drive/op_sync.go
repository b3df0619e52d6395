package drive

import (
	"context"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// doSync applies a bundle once more, and takes up the watch of groups where an uninstall
// ended it.
func (d *driver) doSync(ctx context.Context, s *scenario.Sync) error {
	done, err := d.Cluster.Sync(ctx, s.Bundle)
	if err != nil {
		return err
	}
	d.rec.Record(timeline.Event{Sync: done})
	if d.endGroups != nil {
		return nil
	}
	return d.watchGroups(ctx)
}

// watchGroups watches the backend's groups, until an uninstall takes their kind.
func (d *driver) watchGroups(ctx context.Context) error {
	ctx, d.endGroups = context.WithCancel(ctx)
	return d.rec.WatchGroups(ctx, d.Cluster.Config(), d.Writer.Gang)
}
