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
	err := await(ctx, c, &corev1.ServiceAccount{}, func(sa *corev1.ServiceAccount) bool { return sa.Name == "default" })
	if err != nil {
		return fmt.Errorf("namespace %s gets no default ServiceAccount: %w", ns.Name, err)
	}
	return nil
}

// client is what client-go has for a kind.
type client[L runtime.Object] interface {
	List(context.Context, metav1.ListOptions) (L, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
}

// await waits until an object of a kind is there that is as it must be.
func await[L, T runtime.Object](ctx context.Context, c client[L], kind T, done func(T) bool) error {
	lw := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return c.List(ctx, o)
		},
		WatchFuncWithContext: c.Watch,
	}
	_, err := watchtools.UntilWithSync(ctx, lw, kind, nil, func(e watch.Event) (bool, error) {
		now, ok := e.Object.(T)
		return ok && done(now), nil
	})
	return err
}
