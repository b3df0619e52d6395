package drive

import (
	"context"
	"fmt"

	"github.com/gangctl/gangctl/internal/scenario"
)

// doComplete creates what gangs lack, and waits until the recorder has seen all their pods.
func (d *driver) doComplete(ctx context.Context, c *scenario.Complete) error {
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	names := d.gangsLike(c.Gang)
	if len(names) == 0 {
		return fmt.Errorf("no gang of %s is there", c.Gang)
	}
	for _, name := range names {
		for _, o := range d.lacking[name] {
			if _, err := d.create(ctx, o); err != nil {
				return err
			}
		}
		delete(d.lacking, name)
	}
	return d.awaitPods(ctx, names, 0)
}
