package drive

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// doSubmit creates the gangs' group objects, then their pods, and waits until the
// recorder has seen them all. Of a gang that is a job, the operator makes the rest,
// in its own time: some wait for the group to be let in.
func (d *driver) doSubmit(ctx context.Context, s *scenario.Submit) error {
	run := ctx
	ctx, cancel := d.boundedBy(ctx, time.Minute+time.Duration(s.Every)*time.Duration(s.Copies))
	defer cancel()
	if err := d.makePriorities(ctx, s); err != nil {
		return err
	}
	var work [][]*unstructured.Unstructured // objects that are created one after the other
	for i, name := range s.Names() {
		one := s.Copy(i)
		objects, err := d.begin(ctx, one, name)
		if err != nil {
			return err
		}
		if s.Runs > 0 {
			d.endOnceWhole(run, name, s.Runs)
		}
		if s.Every > 0 {
			if err := d.createAll(ctx, one, [][]*unstructured.Unstructured{objects}); err != nil {
				return err
			}
			if err := pause(ctx, s.Every.Scale(d.Begin.Patience)); err != nil {
				return err
			}
			continue
		}
		work = append(work, objects)
	}
	if d.Writer.Jobbed(s) || d.Writer.OwnJob(s) {
		return d.createAll(ctx, s, work)
	}
	if s.Interleaved {
		work = [][]*unstructured.Unstructured{interleave(work)}
	}
	refused := d.refusals()
	// What was refused is never seen.
	if err := d.createAll(ctx, s, work); err != nil || d.refusals() > refused {
		return d.groupFirst(s.Gang, err)
	}
	return d.awaitPods(ctx, s.Names(), s.LatePods())
}

// begin records a gang, creates what it needs first, and returns the rest in order.
func (d *driver) begin(ctx context.Context, s *scenario.Submit, name string) ([]*unstructured.Unstructured, error) {
	live := false
	d.rec.Look(func(state *timeline.State) { live = state.Gangs[name] != nil })
	if live {
		return nil, fmt.Errorf("gang %s is there already: it must be deleted first", name)
	}
	begun := &timeline.Gang{Name: name, Min: s.Minimum(), Size: s.Size(), Together: s.Together}
	if d.Writer.Takes(s.Manifest) {
		begun.Manifest = s.Manifest.File
	}
	d.rec.Record(timeline.Event{Gang: begun})
	if d.Writer.Jobbed(s) {
		job, err := d.Writer.JobObject(s, name)
		if err != nil {
			return nil, err
		}
		d.jobs[name] = s
		for first, r := range s.First(name) {
			d.rec.Record(timeline.Event{Gang: &timeline.Gang{Name: first, Min: 1, Size: r.Count}})
		}
		if runtime := d.Writer.RuntimeObject(s, name); runtime != nil {
			return []*unstructured.Unstructured{runtime, job}, nil
		}
		return []*unstructured.Unstructured{job}, nil
	}
	pods, err := d.gang(ctx, s, name)
	if _, made := d.makers[name]; made || err != nil {
		return pods, err
	}
	for _, p := range pods {
		d.created[p.GetName()] = p
	}
	pods, late := early(s, pods)
	d.lacking[name] = append(d.lacking[name], late...)
	return pods, nil
}

// awaitPods waits until the recorder has seen each gang's pods, but for the late ones.
func (d *driver) awaitPods(ctx context.Context, gangs []string, late int) error {
	return d.rec.Until(ctx, func(s *timeline.State) bool {
		for _, name := range gangs {
			// Not all of them may still be there: a scheduler may have evicted some.
			if g := s.Gangs[name]; g == nil || g.Seen < g.Size-late {
				return false
			}
		}
		return true
	})
}

// early parts the pods that come at once from the late ones, the last of each role.
func early(s *scenario.Submit, pods []*unstructured.Unstructured) (now, late []*unstructured.Unstructured) {
	for _, r := range s.Roles {
		now = append(now, pods[:r.Count-r.Late]...)
		late = append(late, pods[r.Count-r.Late:r.Count]...)
		pods = pods[r.Count:]
	}
	return now, late
}

// gang creates what a gang needs besides its pods, and returns those.
func (d *driver) gang(ctx context.Context, s *scenario.Submit, name string) ([]*unstructured.Unstructured, error) {
	pods := d.Writer.Pods(s, name)
	if maker := d.Writer.Maker(s, name); maker != nil {
		pods = []*unstructured.Unstructured{maker}
		d.makers[name] = d.Writer.MakerKind(s)
		d.atEnd(func(ctx context.Context) error { return d.dropMaker(ctx, name) })
	}
	group, owner := d.Writer.Group(s, name), d.Writer.Owner(s, name)
	if owner != nil {
		owner, err := d.create(ctx, owner)
		if err != nil {
			return nil, err
		}
		gang.Own(owner, pods...)
		if group != nil {
			gang.Own(owner, group)
		}
	}
	if group == nil {
		return pods, nil
	}
	d.groups[name] = group
	if s.GroupLate {
		d.lacking[name] = append(d.lacking[name], group)
		return pods, nil
	}
	return pods, d.refusable(ctx, s, group)
}

// create creates an object of a kind that the catalog knows.
func (d *driver) create(ctx context.Context, u *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	// As kubectl has it: a field that the API server does not know is no gang.
	strict := metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict}
	made, err := d.of(d.plural(u)).Create(ctx, u, strict)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", u.GetKind(), u.GetName(), err)
	}
	return made, nil
}

// plural is the catalog's word on an object's kind.
func (d *driver) plural(u *unstructured.Unstructured) catalog.ObjectKind {
	w := d.Writer
	for _, k := range slices.Concat(w.Kinds(), slices.Collect(maps.Values(d.makers))) {
		if k.Kind == u.GetKind() && k.APIVersion == u.GetAPIVersion() {
			return k
		}
	}
	return catalog.ObjectKind{APIVersion: "v1", Kind: "Pod", Resource: "pods"}
}

// createAll creates each list in order, and eight lists at a time.
func (d *driver) createAll(ctx context.Context, s *scenario.Submit, work [][]*unstructured.Unstructured) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(8)
	for _, pods := range work {
		group.Go(func() error {
			for _, p := range pods {
				if err := d.refusable(ctx, s, p); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return group.Wait()
}

// submit creates an object. A job may be refused until its operator's webhook has seen
// the runtime that it names, and what it has seen can't be watched from here: so this
// asks again.
func (d *driver) submit(ctx context.Context, u *unstructured.Unstructured) error {
	_, err := d.create(ctx, u)
	if j := d.Writer.Job; j == nil || j.Runtime == nil || u.GetKind() != j.Kind || !apierrors.IsForbidden(err) {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, 10*time.Second, err)
	defer cancel()
	return insist(ctx, func() (bool, error) {
		_, err := d.create(ctx, u)
		if apierrors.IsForbidden(err) {
			return false, nil
		}
		return true, err
	})
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

// of reaches the objects of a kind in the case's namespace.
func (d *driver) of(k catalog.ObjectKind) dynamic.ResourceInterface {
	return d.client.Resource(k.GVR()).Namespace(d.Writer.Namespace)
}
