package drive

import (
	"context"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// doEnforce records which of the backend's own pods the API server would not let in.
func (d *driver) doEnforce(ctx context.Context, e *scenario.Enforce) error {
	refused, err := d.Cluster.Enforce(ctx, e.Level, e.Bare)
	for i := range refused {
		d.rec.Record(timeline.Event{Refused: &refused[i]})
	}
	return err
}
