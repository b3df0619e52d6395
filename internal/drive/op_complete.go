package drive

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
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
		if err := d.ungate(ctx, name); err != nil {
			return err
		}
	}
	return d.awaitPods(ctx, names, 0)
}

// ungate takes the scheduling gate from the gang's pods that have one.
func (d *driver) ungate(ctx context.Context, name string) error {
	var names []string
	d.rec.Look(func(s *timeline.State) {
		for _, p := range s.Gangs[name].Sorted() {
			if made := d.created[p.Name]; made != nil && gang.Field(made.Object, "spec.schedulingGates") != nil {
				names = append(names, p.Name)
			}
		}
	})
	for _, pod := range names {
		patch := []byte(`{"spec":{"schedulingGates":null}}`)
		if _, err := d.pods().Patch(ctx, pod, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
			return err
		}
	}
	return nil
}
