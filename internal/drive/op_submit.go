package drive

import (
	"context"
	"fmt"

	"golang.org/x/sync/errgroup"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// doSubmit creates the gangs' group objects, then their pods, and waits until the
// recorder has seen them all.
func (d *driver) doSubmit(ctx context.Context, s *scenario.Submit) error {
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	var work [][]*unstructured.Unstructured // pods that are created one after the other
	for _, name := range s.Names() {
		live := false
		d.rec.Look(func(state *timeline.State) { live = state.Gangs[name] != nil })
		if live {
			return fmt.Errorf("gang %s is there already: it must be deleted first", name)
		}
		d.rec.Record(timeline.Event{Gang: &timeline.Gang{Name: name, Min: s.Minimum(), Size: s.Size()}})
		if group := d.Writer.Group(s, name); group != nil {
			if _, err := d.groups().Create(ctx, group, metav1.CreateOptions{}); err != nil {
				return fmt.Errorf("%s %s: %w", group.GetKind(), name, err)
			}
		}
		pods := d.Writer.Pods(s, name)
		for _, p := range pods {
			d.created[p.GetName()] = p
		}
		work = append(work, pods)
	}
	if s.Interleaved {
		work = [][]*unstructured.Unstructured{interleave(work)}
	}
	if err := d.createAll(ctx, work); err != nil {
		return err
	}
	return d.rec.Until(ctx, func(state *timeline.State) bool {
		for _, name := range s.Names() {
			if g := state.Gangs[name]; g == nil || len(g.Pods) < g.Size {
				return false
			}
		}
		return true
	})
}

// createAll creates each list in order, and eight lists at a time.
func (d *driver) createAll(ctx context.Context, work [][]*unstructured.Unstructured) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for _, pods := range work {
		group.Go(func() error {
			for _, p := range pods {
				if _, err := d.pods().Create(ctx, p, metav1.CreateOptions{}); err != nil {
					return fmt.Errorf("pod %s: %w", p.GetName(), err)
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// interleave takes one pod of each gang in turn.
func interleave(gangs [][]*unstructured.Unstructured) []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	for i := range gangs[0] {
		for _, pods := range gangs {
			all = append(all, pods[i])
		}
	}
	return all
}

func (d *driver) groups() dynamic.ResourceInterface {
	g := d.Writer.Gang.Group
	// The catalog has checked the group's version.
	gv, _ := schema.ParseGroupVersion(g.APIVersion)
	return d.client.Resource(gv.WithResource(g.Resource)).Namespace(d.Writer.Namespace)
}
