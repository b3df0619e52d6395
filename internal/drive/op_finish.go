package drive

import (
	"context"
	"fmt"
	"slices"

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
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:%q}}}`, gang.FinishLabel, f.Phase())
	asked := map[string]bool{}
	for _, name := range names {
		asked[name] = true
		// Of a job that has ended by one pod, the operator may have taken the others away.
		if _, err := d.pods().Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return d.rec.Until(ctx, func(s *timeline.State) bool {
		for _, g := range scenario.Select(s, f.Gang) {
			for _, p := range g.Pods {
				if asked[p.Name] && !p.Finished() {
					return false
				}
			}
		}
		return true
	})
}
