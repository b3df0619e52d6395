package drive

import (
	"context"
	"fmt"
	"slices"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// ending are the names of a gang's pods that are to end: all, or the last few that are bound.
func ending(g *timeline.GangState, most int) []string {
	var names []string
	for _, p := range slices.Backward(g.Sorted()) {
		switch {
		case most == 0:
			names = append(names, p.Name)
		case p.Bound() && !p.Finished() && len(names) < most:
			names = append(names, p.Name)
		}
	}
	return names
}

// doFinish asks the kubelets to end the pods, and waits until they have.
func (d *driver) doFinish(ctx context.Context, f *scenario.Finish) error {
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	var names []string
	d.rec.Look(func(s *timeline.State) {
		for _, g := range scenario.Select(s, f.Gang) {
			if !f.Whole || g.Whole() {
				names = append(names, ending(g, f.Pods)...)
			}
		}
	})
	if len(names) == 0 {
		return fmt.Errorf("no gang of %s is there to end", f.Gang)
	}
	if err := d.end(ctx, names, f.Phase()); err != nil {
		return err
	}
	ended := map[string]*timeline.Pod{} // by UID
	err := d.rec.Until(ctx, func(s *timeline.State) bool {
		for _, g := range scenario.Select(s, f.Gang) {
			for uid, p := range g.Pods {
				if !slices.Contains(names, p.Name) {
					continue
				}
				if !p.Finished() {
					return false
				}
				ended[uid] = p
			}
		}
		return true
	})
	if err != nil || !f.Replaced {
		return err
	}
	return d.lose(ctx, ended, true)
}

// end asks the kubelets to end the pods.
func (d *driver) end(ctx context.Context, names []string, phase string) error {
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:%q}}}`, gang.FinishLabel, phase)
	for _, name := range names {
		// Of a job that has ended by one pod, the operator may have taken the others away.
		if _, err := d.pods().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}

// endOnceWhole lets a gang's pods succeed some time after it is whole, while the run goes on.
func (d *driver) endOnceWhole(ctx context.Context, name string, runs scenario.Duration) {
	ctx, cancel := context.WithCancel(ctx)
	var ended sync.WaitGroup
	d.atEnd(func(context.Context) error {
		cancel()
		ended.Wait()
		return nil
	})
	ended.Go(func() {
		whole := func(s *timeline.State) bool { return s.Gangs[name] != nil && s.Gangs[name].Whole() }
		if d.rec.Until(ctx, whole) != nil || pause(ctx, runs.Scale(d.Begin.Patience)) != nil {
			return
		}
		var names []string
		d.rec.Look(func(s *timeline.State) {
			if g := s.Gangs[name]; g != nil {
				names = ending(g, 0)
			}
		})
		if err := d.end(ctx, names, string(corev1.PodSucceeded)); err != nil && ctx.Err() == nil {
			d.rec.Record(timeline.Event{Cut: &timeline.Cut{What: "the end of " + name, Err: err.Error()}})
		}
	})
}
