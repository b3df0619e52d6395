package drive

import (
	"context"
	"fmt"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// doScale gives a job another number of pods, and waits until those too many are gone.
func (d *driver) doScale(ctx context.Context, x *scenario.Scale) error {
	was := d.jobs[x.Gang]
	if was == nil {
		return fmt.Errorf("%s is no job", x.Gang)
	}
	now, err := was.Scaled(x.Role, x.Count)
	if err != nil {
		return err
	}
	patch, err := d.Writer.ScalePatch(now, x.Gang)
	if err != nil {
		return err
	}
	d.jobs[x.Gang] = now
	// The judge goes by the new numbers before anybody can act on them.
	d.rec.Record(timeline.Event{Gang: &timeline.Gang{Name: x.Gang, Min: now.Minimum(), Size: now.Size()}})
	if err := d.patchJob(ctx, x.Gang, patch); err != nil {
		return err
	}
	return d.fewer(ctx, []string{x.Gang}, now.Size())
}
