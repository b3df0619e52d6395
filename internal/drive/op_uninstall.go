package drive

import (
	"context"

	"github.com/gangctl/gangctl/internal/timeline"
)

// doUninstall deletes the bundle. Groups may go with their kind, so their watch ends first.
func (d *driver) doUninstall(ctx context.Context) error {
	d.endGroups()
	if err := d.recordDenied(); err != nil {
		return err
	}
	done, err := d.Cluster.Uninstall(ctx)
	if err != nil {
		return err
	}
	d.rec.Record(timeline.Event{Sync: done})
	return d.skipDenied()
}
