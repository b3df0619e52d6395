package drive

import (
	"context"
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gangctl/gangctl/internal/scenario"
)

// makePriorities creates the PriorityClasses that the pods name and no earlier step has
// made. One that is there already is not ours, and is refused.
func (d *driver) makePriorities(ctx context.Context, s *scenario.Submit) error {
	for _, class := range d.Writer.Priorities(s) {
		if slices.Contains(d.priorities, class.GetName()) {
			continue
		}
		if _, err := d.client.Resource(priorityClasses).Create(ctx, class, metav1.CreateOptions{}); err != nil {
			return fmt.Errorf("PriorityClass %s: %w", class.GetName(), err)
		}
		d.priorities = append(d.priorities, class.GetName())
		err := insist(ctx, func() (bool, error) {
			_, err := d.kube.CoreV1().Pods(d.Writer.Namespace).Create(ctx, probePod(class.GetName()), dryRun)
			return !apierrors.IsForbidden(err), nil
		})
		if err != nil {
			return fmt.Errorf("PriorityClass %s: %w", class.GetName(), err)
		}
	}
	return nil
}

// probePod is refused until admission knows its priority class.
func probePod(class string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "gangctl-probe"},
		Spec: corev1.PodSpec{
			PriorityClassName: class,
			Containers:        []corev1.Container{{Name: "main", Image: "registry.k8s.io/pause:3.10"}},
		},
	}
}

// dropPriorities takes them away again: they are in no namespace. Pods keep their priority.
func (d *driver) dropPriorities(ctx context.Context) error {
	if len(d.priorities) == 0 {
		return nil
	}
	// Also of a run that was interrupted.
	ctx, cancel := d.bounded(context.WithoutCancel(ctx))
	defer cancel()
	var errs []error
	for _, name := range d.priorities {
		if err := d.client.Resource(priorityClasses).Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			errs = append(errs, fmt.Errorf("PriorityClass %s: %w", name, err))
		}
	}
	return errors.Join(errs...)
}
