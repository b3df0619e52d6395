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

// ending are a gang's pods that are to end: all, or the last few that are bound.
func ending(g *timeline.GangState, most int) []*timeline.Pod {
	var pods []*timeline.Pod
	for _, p := range slices.Backward(g.Sorted()) {
		if most == 0 || p.Bound() && !p.Finished() && len(pods) < most {
			pods = append(pods, p)
		}
	}
	return pods
}

// doFinish asks the kubelets to end the pods, and waits until they have.
func (d *driver) doFinish(ctx context.Context, f *scenario.Finish) error {
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	var pods []*timeline.Pod
	d.rec.Look(func(s *timeline.State) {
		for _, g := range scenario.Select(s, f.Gang) {
			if !f.Whole || g.Whole() {
				pods = append(pods, ending(g, f.Pods)...)
			}
		}
	})
	if len(pods) == 0 {
		return fmt.Errorf("no gang of %s is there to end", f.Gang)
	}
	if err := d.end(ctx, pods, f.Phase()); err != nil {
		return err
	}
	ended := map[string]*timeline.Pod{} // by UID; some may be gone again
	err := d.rec.Until(ctx, func(s *timeline.State) bool {
		for _, p := range pods {
			g := s.Gangs[p.Gang]
			if g == nil || g.Pods[p.UID] == nil {
				continue
			}
			if !g.Pods[p.UID].Finished() {
				return false
			}
			ended[p.UID] = p
		}
		return true
	})
	if err != nil || !f.Replaced {
		return err
	}
	return d.lose(ctx, ended, true)
}

// end asks the kubelets to end the pods.
func (d *driver) end(ctx context.Context, pods []*timeline.Pod, phase string) error {
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:%q}}}`, gang.FinishLabel, phase)
	for _, p := range pods {
		// Of a job that has ended by one pod, the operator may have taken the others away.
		if _, err := d.pods().Patch(ctx, p.Name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil && !apierrors.IsNotFound(err) {
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
		var pods []*timeline.Pod
		d.rec.Look(func(s *timeline.State) {
			if g := s.Gangs[name]; g != nil {
				pods = ending(g, 0)
			}
		})
		if err := d.end(ctx, pods, string(corev1.PodSucceeded)); err != nil && ctx.Err() == nil {
			d.rec.Record(timeline.Event{Cut: &timeline.Cut{What: "the end of " + name, Err: err.Error()}})
		}
	})
}
