package drive

import (
	"context"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// doSync applies a bundle once more. A kind that changes ends its watches, and some can't be
// taken up where they ended: so groups are not watched meanwhile, but listed afterwards.
func (d *driver) doSync(ctx context.Context, s *scenario.Sync) error {
	d.endGroups()
	done, err := d.Cluster.Sync(ctx, s.Bundle)
	if err != nil {
		return err
	}
	d.rec.Record(timeline.Event{Sync: done})
	return d.watchGroups(ctx)
}

// watchGroups watches the backend's groups, until a step changes their kind.
func (d *driver) watchGroups(ctx context.Context) error {
	ctx, d.endGroups = context.WithCancel(ctx)
	return d.rec.WatchGroups(ctx, d.Cluster.Config(), d.Writer.Gang)
}
