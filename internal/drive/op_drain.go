package drive

import (
	"context"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// doDrain cordons the nodes, evicts the gangs' pods from them, and waits until they are gone.
func (d *driver) doDrain(ctx context.Context, x *scenario.Drain) error {
	cordoned := true
	if err := d.doChange(ctx, &scenario.Change{Nodes: x.Nodes, Cordoned: &cordoned}); err != nil {
		return err
	}
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	names, err := d.nodesLike(x.Nodes)
	if err != nil {
		return err
	}
	lost := map[string]*timeline.Pod{} // by UID
	d.rec.Look(func(s *timeline.State) {
		for _, name := range names {
			podsOn(s, name, lost)
		}
	})
	for _, p := range lost {
		eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: p.Name, Namespace: d.Writer.Namespace}}
		if err := d.kube.CoreV1().Pods(d.Writer.Namespace).EvictV1(ctx, eviction); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return d.replace(ctx, lost, x.Replaced)
}
