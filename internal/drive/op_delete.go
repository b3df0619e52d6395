package drive

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// doDelete takes gangs away, or some pods of them, and waits until they are gone.
func (d *driver) doDelete(ctx context.Context, x *scenario.Delete) error {
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	var gangs []string
	d.rec.Look(func(s *timeline.State) {
		for _, g := range scenario.Select(s, x.Gang) {
			gangs = append(gangs, g.Name)
		}
	})
	if len(gangs) == 0 {
		return fmt.Errorf("no gang of %s is there to delete", x.Gang)
	}
	for _, name := range gangs {
		act := d.deleteGang
		if x.Pods > 0 {
			act = func(ctx context.Context, name string) error { return d.losePods(ctx, name, x) }
		}
		if err := act(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (d *driver) deleteGang(ctx context.Context, name string) error {
	d.rec.Record(timeline.Event{Gang: &timeline.Gang{Name: name, Ended: true}})
	if d.jobs[name] {
		// The job is the owner of the rest.
		delete(d.jobs, name)
		background := metav1.DeletePropagationBackground
		if err := d.of(d.Writer.Job.ObjectKind).Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
			return err
		}
		if r := d.Writer.Job.Runtime; r != nil {
			if err := d.of(r.ObjectKind).Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
				return err
			}
		}
	} else if err := d.deleteParts(ctx, name); err != nil {
		return err
	}
	return d.rec.Until(ctx, func(s *timeline.State) bool {
		for _, p := range s.Others {
			if p.Gang == name {
				return false
			}
		}
		return s.Groups[name] == nil
	})
}

// deleteParts deletes a gang's pods, and what was made for it besides.
func (d *driver) deleteParts(ctx context.Context, name string) error {
	err := d.pods().DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: gang.GangLabel + "=" + name})
	if err != nil {
		return err
	}
	for _, kind := range d.Writer.Kinds() {
		if d.Writer.Job != nil && kind == d.Writer.Job.ObjectKind {
			continue
		}
		if err := d.of(kind).Delete(ctx, name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// losePods deletes bound pods, the last by name first, as a failing node does.
func (d *driver) losePods(ctx context.Context, name string, x *scenario.Delete) error {
	lost := map[string]string{} // name to UID
	d.rec.Look(func(s *timeline.State) {
		all := s.Gangs[name].Sorted()
		for i := len(all) - 1; i >= 0 && len(lost) < x.Pods; i-- {
			if all[i].Bound() {
				lost[all[i].Name] = all[i].UID
			}
		}
	})
	if len(lost) < x.Pods {
		return fmt.Errorf("%s has %d bound pods to lose, not %d", name, len(lost), x.Pods)
	}
	for pod := range lost {
		if err := d.pods().Delete(ctx, pod, metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	err := d.rec.Until(ctx, func(s *timeline.State) bool {
		for _, uid := range lost {
			if s.Gangs[name].Pods[uid] != nil {
				return false
			}
		}
		return true
	})
	if err != nil || !x.Replaced || d.jobs[name] {
		return err // what a job loses, its operator replaces
	}
	for pod := range lost {
		if _, err := d.pods().Create(ctx, d.created[pod], metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	return nil
}
