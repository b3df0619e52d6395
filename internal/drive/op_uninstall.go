package drive

import "context"

// doUninstall deletes the bundle. Groups may go with their kind, so their watch ends first.
func (d *driver) doUninstall(ctx context.Context) error {
	if d.endGroups != nil {
		d.endGroups()
		d.endGroups = nil
	}
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	return d.Cluster.Uninstall(ctx)
}
