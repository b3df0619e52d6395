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
	gangs := d.gangsLike(x.Gang)
	if len(gangs) == 0 {
		return fmt.Errorf("no gang of %s is there to delete", x.Gang)
	}
	for _, name := range gangs {
		act := d.deleteGang
		switch {
		case x.Group:
			act = d.deleteGroup
		case x.Pods > 0:
			act = func(ctx context.Context, name string) error { return d.losePods(ctx, name, x) }
		}
		if err := act(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// gangsLike are the gangs that a name or glob stands for.
func (d *driver) gangsLike(glob string) []string {
	var names []string
	d.rec.Look(func(s *timeline.State) {
		for _, g := range scenario.Select(s, glob) {
			names = append(names, g.Name)
		}
	})
	return names
}

func (d *driver) deleteGang(ctx context.Context, name string) error {
	d.rec.Record(timeline.Event{Gang: &timeline.Gang{Name: name, Ended: true}})
	delete(d.lacking, name)
	delete(d.groups, name)
	if d.jobs[name] != nil {
		for first := range d.jobs[name].First(name) {
			d.rec.Record(timeline.Event{Gang: &timeline.Gang{Name: first, Ended: true}})
		}
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

// deleteGroup deletes a gang's group object, which a complete step may bring back.
func (d *driver) deleteGroup(ctx context.Context, name string) error {
	group := d.groups[name]
	if group == nil {
		return nil // a control's gang has none
	}
	if err := d.of(d.Writer.Gang.Group.ObjectKind).Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
		return err
	}
	protected := false
	err := d.rec.Until(ctx, func(s *timeline.State) bool {
		protected = s.Groups[name] != nil
		return !protected || s.Groups[name].Deleting
	})
	if err == nil && protected {
		return errProtected
	}
	d.lacking[name] = append(d.lacking[name], group)
	return err
}

// deleteParts deletes a gang's pods, and what was made for it besides.
func (d *driver) deleteParts(ctx context.Context, name string) error {
	if err := d.dropMaker(ctx, name); err != nil {
		return err
	}
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

// dropMaker deletes what makes a gang's pods, if there is such an object.
func (d *driver) dropMaker(ctx context.Context, name string) error {
	kind, made := d.makers[name]
	if !made {
		return nil
	}
	delete(d.makers, name)
	background := metav1.DeletePropagationBackground
	return d.of(kind).Delete(ctx, name, metav1.DeleteOptions{PropagationPolicy: &background})
}

// dropGangs takes away whatever gangs are left.
func (d *driver) dropGangs(ctx context.Context) error {
	for _, name := range d.gangsLike("*") {
		if err := d.deleteGang(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

// losePods deletes bound pods, the last by name first, as a failing node does.
func (d *driver) losePods(ctx context.Context, name string, x *scenario.Delete) error {
	lost := map[string]*timeline.Pod{} // by UID
	d.rec.Look(func(s *timeline.State) {
		all := s.Gangs[name].Sorted()
		for i := len(all) - 1; i >= 0 && len(lost) < x.Pods; i-- {
			if all[i].Bound() && (x.Role == "" || x.Role == all[i].Role) {
				lost[all[i].UID] = all[i]
			}
		}
	})
	if len(lost) < x.Pods {
		return fmt.Errorf("%s has %d bound pods %sto lose, not %d", name, len(lost), ofRole(x.Role), x.Pods)
	}
	return d.lose(ctx, lost, x.Replaced)
}

// lose deletes pods, and creates them anew where that is asked for.
func (d *driver) lose(ctx context.Context, lost map[string]*timeline.Pod, replaced bool) error {
	for _, p := range lost {
		if err := d.pods().Delete(ctx, p.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return d.replace(ctx, lost, replaced)
}

func ofRole(role string) string {
	if role == "" {
		return ""
	}
	return "of the role " + role + " "
}

// replace waits until pods are gone, and creates them anew where the step says so. What a
// job loses, its operator replaces.
func (d *driver) replace(ctx context.Context, lost map[string]*timeline.Pod, replaced bool) error {
	err := d.rec.Until(ctx, func(s *timeline.State) bool {
		for uid, p := range lost {
			if g := s.Gangs[p.Gang]; g != nil && g.Pods[uid] != nil {
				return false
			}
		}
		return true
	})
	if err != nil || !replaced {
		return err
	}
	for _, p := range lost {
		if d.jobs[p.Gang] != nil || d.created[p.Name] == nil {
			continue
		}
		if _, err := d.pods().Create(ctx, d.created[p.Name], metav1.CreateOptions{}); err != nil {
			return d.groupFirst(p.Gang, err)
		}
	}
	return nil
}
