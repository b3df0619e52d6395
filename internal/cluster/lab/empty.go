package lab

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/timeline"
)

// Intact says that every component runs since the lab came up.
func (l *Lab) Intact() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.past {
		if c.State != timeline.Started {
			return false
		}
	}
	return true
}

// Empty takes a case's nodes, and its pods and objects of the kinds, so that another
// case can follow. The namespace stays, with what nobody looks at. What Requests has not
// told yet belongs to the next case.
func (l *Lab) Empty(ctx context.Context, namespace string, kinds []catalog.ObjectKind) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	l.audited = l.told
	client, err := dynamic.NewForConfig(l.Admin())
	if err != nil {
		return err
	}
	// 1. Owners before what they own, or it comes again.
	var left []dynamic.ResourceInterface
	for _, k := range kinds {
		left = append(left, client.Resource(k.GVR()).Namespace(namespace))
	}
	left = append(left, client.Resource(corev1.SchemeGroupVersion.WithResource("pods")).Namespace(namespace))
	background, now := metav1.DeletePropagationBackground, int64(0)
	// Kubernetes writes this ConfigMap into every namespace again.
	theirs := metav1.ListOptions{FieldSelector: fields.OneTermNotEqualSelector("metadata.name", "kube-root-ca.crt").String()}
	for _, r := range left {
		o := metav1.DeleteOptions{PropagationPolicy: &background, GracePeriodSeconds: &now}
		if err := r.DeleteCollection(ctx, o, theirs); err != nil && !apierrors.IsNotFound(err) {
			return err
		}
	}
	for _, r := range left {
		if err := gone(ctx, r, theirs); err != nil {
			return fmt.Errorf("empty %s: %w", namespace, err)
		}
	}
	// 2. The nodes, which nothing needs now.
	nodes := client.Resource(corev1.SchemeGroupVersion.WithResource("nodes"))
	ours := metav1.ListOptions{FieldSelector: fields.OneTermNotEqualSelector("metadata.name", infraNode).String()}
	if err := nodes.DeleteCollection(ctx, metav1.DeleteOptions{}, ours); err != nil {
		return err
	}
	return gone(ctx, nodes, ours)
}

// gone waits until there is no object left.
func gone(ctx context.Context, r dynamic.ResourceInterface, which metav1.ListOptions) error {
	lw := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			o.FieldSelector = which.FieldSelector
			list, err := r.List(ctx, o)
			if apierrors.IsNotFound(err) {
				return &unstructured.UnstructuredList{}, nil
			}
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = which.FieldSelector
			return r.Watch(ctx, o)
		},
	}
	left := map[string]bool{}
	none := func(store cache.Store) (bool, error) { return len(store.ListKeys()) == 0, nil }
	_, err := watchtools.UntilWithSync(ctx, lw, &unstructured.Unstructured{}, none, func(e watch.Event) (bool, error) {
		if u, ok := e.Object.(*unstructured.Unstructured); ok && e.Type == watch.Deleted {
			delete(left, u.GetName())
		} else if ok {
			left[u.GetName()] = true
		}
		return len(left) == 0, nil
	})
	return err
}
