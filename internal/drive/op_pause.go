package drive

import (
	"context"

	"github.com/gangctl/gangctl/internal/scenario"
)

// doPause halts a component, or lets it go on.
func (d *driver) doPause(ctx context.Context, p *scenario.Pause) error {
	if p.Resumed {
		return d.Cluster.Resume(ctx, p.Component)
	}
	return d.Cluster.Pause(ctx, p.Component)
}
