package drive

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// fewerWithin is how long a step waits until an operator has taken pods away. Where it does
// not, an expectation will say so.
const fewerWithin = scenario.Duration(15 * time.Second)

// doSuspend suspends jobs and waits until their pods are gone, or resumes them.
func (d *driver) doSuspend(ctx context.Context, x *scenario.Suspend) error {
	names := d.gangsLike(x.Gang)
	if len(names) == 0 {
		return fmt.Errorf("no gang of %s is there", x.Gang)
	}
	for _, name := range names {
		if err := d.patchJob(ctx, name, d.Writer.SuspendPatch(!x.Resumed)); err != nil {
			return err
		}
	}
	if x.Resumed {
		return nil
	}
	return d.fewer(ctx, names, 0)
}

// fewer waits until each gang has at most so many pods.
func (d *driver) fewer(ctx context.Context, gangs []string, most int) error {
	_, err := d.sees(ctx, fewerWithin.Scale(d.Begin.Patience), func(s *timeline.State) bool {
		for _, name := range gangs {
			if g := s.Gangs[name]; g != nil && len(g.Pods) > most {
				return false
			}
		}
		return true
	})
	return err
}

// patchJob changes a gang's job.
func (d *driver) patchJob(ctx context.Context, name string, change map[string]any) error {
	if d.jobs[name] == nil {
		return fmt.Errorf("%s is no job", name)
	}
	patch, err := json.Marshal(change)
	if err != nil {
		return err
	}
	_, err = d.of(d.Writer.Job.ObjectKind).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	return err
}
