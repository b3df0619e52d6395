package drive

import (
	"context"
	"errors"
)

// doUninstall deletes the bundle. Groups may go with their kind, so their watch ends first.
func (d *driver) doUninstall(ctx context.Context) error {
	d.endGroups()
	if err := d.recordDenied(); err != nil {
		return err
	}
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	return errors.Join(d.Cluster.Uninstall(ctx), d.skipDenied())
}
