package drive

import (
	"context"

	"github.com/gangctl/gangctl/internal/scenario"
)

// doBreak spoils a part of the installation.
func (d *driver) doBreak(ctx context.Context, b *scenario.Break) error {
	return d.Cluster.Break(ctx, b.Part)
}
