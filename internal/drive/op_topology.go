package drive

import (
	"context"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// doTopology makes what tells the backend which nodes are near each other.
func (d *driver) doTopology(ctx context.Context, t *scenario.Topology) error {
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	values := map[string]bool{}
	d.rec.Look(func(s *timeline.State) {
		for _, n := range s.Nodes {
			if value := n.Labels[t.Label]; value != "" {
				values[value] = true
			}
		}
	})
	for _, domain := range d.Writer.Domains(t.Label, slices.Sorted(maps.Keys(values))) {
		domains := d.client.Resource(d.Writer.Gang.Topology.Domain.GVR())
		if _, err := domains.Create(ctx, domain, metav1.CreateOptions{}); err != nil {
			return err
		}
		d.atEnd(func(ctx context.Context) error {
			return domains.Delete(ctx, domain.GetName(), metav1.DeleteOptions{})
		})
	}
	return nil
}
