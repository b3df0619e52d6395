package drive

import (
	"context"
	"fmt"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// doComplete creates what gangs lack, and waits until the recorder has seen all their pods.
func (d *driver) doComplete(ctx context.Context, c *scenario.Complete) error {
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	var names []string
	d.rec.Look(func(s *timeline.State) {
		for _, g := range scenario.Select(s, c.Gang) {
			names = append(names, g.Name)
		}
	})
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
	return d.rec.Until(ctx, func(s *timeline.State) bool {
		for _, name := range names {
			if g := s.Gangs[name]; g == nil || g.Seen < g.Size {
				return false
			}
		}
		return true
	})
}
