package drive

import (
	"context"
	"encoding/json"
	"fmt"
	"path"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// shut says why a node takes no pods.
type shut struct{ cordoned, tainted bool }

func (s shut) any() bool { return s.cordoned || s.tainted }

// doChange alters nodes, and waits until the recorder has seen it.
func (d *driver) doChange(ctx context.Context, c *scenario.Change) error {
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	names, err := d.nodesLike(c.Nodes)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := d.changeNode(ctx, name, c); err != nil {
			return err
		}
	}
	return d.rec.Until(ctx, func(s *timeline.State) bool {
		for _, name := range names {
			n := s.Nodes[name]
			if n == nil || n.Closed != d.shut[name].any() || c.GPUs != nil && n.Allocatable[timeline.GPU] != int64(*c.GPUs) {
				return false
			}
		}
		return true
	})
}

func (d *driver) changeNode(ctx context.Context, name string, c *scenario.Change) error {
	spec, labels := map[string]any{}, map[string]any{}
	now := d.shut[name]
	if c.Cordoned != nil {
		now.cordoned = *c.Cordoned
		spec["unschedulable"] = *c.Cordoned
	}
	if c.Taints != nil {
		now.tainted = scenario.Closing(*c.Taints)
		spec["taints"] = coreTaints(*c.Taints)
	}
	d.shut[name] = now
	for key, value := range c.Labels {
		labels[key] = value
		if value == "" {
			labels[key] = nil
		}
	}
	if err := d.patchNode(ctx, name, map[string]any{"spec": spec, "metadata": map[string]any{"labels": labels}}); err != nil {
		return err
	}
	if c.GPUs == nil {
		return nil
	}
	room := map[string]any{timeline.GPU: fmt.Sprint(*c.GPUs)}
	return d.patchNode(ctx, name, map[string]any{"status": map[string]any{"allocatable": room, "capacity": room}}, "status")
}

func (d *driver) patchNode(ctx context.Context, name string, change map[string]any, subresources ...string) error {
	patch, err := json.Marshal(change)
	if err != nil {
		return err
	}
	_, err = d.kube.CoreV1().Nodes().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}, subresources...)
	return err
}

// nodesLike are the run's nodes that a name or glob stands for.
func (d *driver) nodesLike(glob string) ([]string, error) {
	var names []string
	for i := range d.nodes {
		if ok, err := path.Match(glob, nodeName(i+1)); err == nil && ok {
			names = append(names, nodeName(i+1))
		}
	}
	if len(names) == 0 {
		return nil, fmt.Errorf("no node of %s is there", glob)
	}
	return names, nil
}

func coreTaints(taints []scenario.Taint) []corev1.Taint {
	var all []corev1.Taint
	for _, t := range taints {
		all = append(all, corev1.Taint{Key: t.Key, Value: t.Value, Effect: corev1.TaintEffect(t.Effect)})
	}
	return all
}
