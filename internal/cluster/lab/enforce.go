package lab

import (
	"context"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gangctl/gangctl/internal/timeline"
)

// enforceLabel is what the API server's admission goes by.
const enforceLabel = "pod-security.kubernetes.io/enforce"

// Enforce asks, in a dry run, for a pod of each of the bundle's Deployments.
func (l *Lab) Enforce(ctx context.Context, level string, bare bool) ([]timeline.Refused, error) {
	if l.installed == nil {
		return nil, errors.New("nothing is installed")
	}
	var refused []timeline.Refused
	enforced := map[string]bool{}
	for _, o := range l.installed.Objects {
		if o.GetKind() != "Deployment" {
			continue
		}
		namespace := o.GetNamespace()
		if !enforced[namespace] {
			if err := l.enforce(ctx, namespace, level); err != nil {
				return refused, fmt.Errorf("namespace %s: %w", namespace, err)
			}
			enforced[namespace] = true
		}
		d, err := l.get(ctx, namespace+"/"+o.GetName())
		if err != nil {
			return refused, err
		}
		err = l.tryPod(ctx, podOf(d, bare))
		switch {
		case apierrors.IsForbidden(err):
			refused = append(refused, timeline.Refused{Verb: "create", Resource: "pods", Name: o.GetName(), Err: err.Error()})
		case err != nil:
			return refused, fmt.Errorf("a pod of %s: %w", o.GetName(), err)
		}
	}
	return refused, nil
}

// enforce labels the namespace, and waits until the API server goes by it, which can't be
// watched: so this asks for a pod that every level refuses.
func (l *Lab) enforce(ctx context.Context, namespace, level string) error {
	patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:%q}}}`, enforceLabel, level)
	if _, err := l.client.CoreV1().Namespaces().Patch(ctx, namespace, types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	probe := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "gangctl-probe"},
		Spec: corev1.PodSpec{
			ServiceAccountName: "default", HostNetwork: true,
			Containers: []corev1.Container{{Name: "main", Image: "registry.k8s.io/pause:3.10"}},
		},
	}
	probe.Namespace = namespace
	for {
		if err := l.tryPod(ctx, probe); apierrors.IsForbidden(err) {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("does not enforce %s: %w", level, ctx.Err())
		}
	}
}

func (l *Lab) tryPod(ctx context.Context, p *corev1.Pod) error {
	_, err := l.client.CoreV1().Pods(p.Namespace).Create(ctx, p, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
	return err
}

// podOf is a pod as the Deployment would have one; bare, without security contexts.
func podOf(d *appsv1.Deployment, bare bool) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: *d.Spec.Template.ObjectMeta.DeepCopy(), Spec: *d.Spec.Template.Spec.DeepCopy()}
	p.Name, p.Namespace = d.Name+"-gangctl", d.Namespace
	if bare {
		p.Spec.SecurityContext = nil
		for i := range p.Spec.Containers {
			p.Spec.Containers[i].SecurityContext = nil
		}
	}
	return p
}
