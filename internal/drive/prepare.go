package drive

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"github.com/gangctl/gangctl/internal/gang"
)

// prepare makes the case's namespace, and waits for the ServiceAccount without
// which admission refuses its pods.
func (d *driver) prepare(ctx context.Context) error {
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: d.Writer.Namespace, Labels: map[string]string{gang.ManagedBy: "gangctl"}}}
	if _, err := d.kube.CoreV1().Namespaces().Create(ctx, ns, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("namespace %s: %w", ns.Name, err)
	}
	c := d.kube.CoreV1().ServiceAccounts(ns.Name)
	lw := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return c.List(ctx, o)
		},
		WatchFuncWithContext: c.Watch,
	}
	_, err := watchtools.UntilWithSync(ctx, lw, &corev1.ServiceAccount{}, nil, func(e watch.Event) (bool, error) {
		sa, ok := e.Object.(*corev1.ServiceAccount)
		return ok && sa.Name == "default", nil
	})
	if err != nil {
		return fmt.Errorf("namespace %s gets no default ServiceAccount: %w", ns.Name, err)
	}
	return nil
}
