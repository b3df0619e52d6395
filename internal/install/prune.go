package install

import (
	"context"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
)

// keep are the annotations by which an object tells those who prune it to let it be, each
// with the word that it must hold.
var keep = map[string]string{
	"kustomize.toolkit.fluxcd.io/prune": "disabled",
	"argocd.argoproj.io/sync-options":   "Prune=false",
	"helm.sh/resource-policy":           "keep",
}

// Kept says that an object is to stay when the others are pruned.
func Kept(o *unstructured.Unstructured) bool {
	for key, word := range keep {
		if strings.Contains(o.GetAnnotations()[key], word) {
			return true
		}
	}
	return false
}

// Prune deletes the objects, in the order given, but for those that are kept, and then
// waits until they are gone, or the context ends. It returns the names of those that it
// deleted, and says of those that are still there, as a finalizer holds them, that they are.
// It calls begin before each.
func (in *Installer) Prune(ctx context.Context, objects []*unstructured.Unstructured, begin func(*unstructured.Unstructured)) (pruned, stuck []string, err error) {
	var clients []dynamic.ResourceInterface
	var going []*unstructured.Unstructured
	for _, o := range objects {
		c, err := in.of(o)
		if meta.IsNoMatchError(err) || Kept(o) {
			continue // what is of no kind is gone already
		}
		if err != nil {
			return nil, nil, fmt.Errorf("delete %s: %w", Name(o), err)
		}
		clients, going = append(clients, c), append(going, o)
	}
	background := metav1.DeletePropagationBackground
	for i, o := range going {
		begin(o)
		err := clients[i].Delete(ctx, o.GetName(), metav1.DeleteOptions{PropagationPolicy: &background})
		if err != nil && !apierrors.IsNotFound(err) {
			return pruned, nil, fmt.Errorf("delete %s: %w", Name(o), err)
		}
		pruned = append(pruned, Name(o))
	}
	for i, o := range going {
		if gone(ctx, clients[i], o.GetName()) == nil {
			continue
		}
		// The time may have passed with another.
		if _, err := clients[i].Get(context.WithoutCancel(ctx), o.GetName(), metav1.GetOptions{}); !apierrors.IsNotFound(err) {
			stuck = append(stuck, Name(o)+" is deleted and does not go")
		}
	}
	return pruned, stuck, nil
}

// gone waits until there is no object of the name.
func gone(ctx context.Context, c dynamic.ResourceInterface, name string) error {
	only := fields.OneTermEqualSelector("metadata.name", name).String()
	lw := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (apiruntime.Object, error) {
			o.FieldSelector = only
			list, err := c.List(ctx, o)
			if apierrors.IsNotFound(err) {
				// Its kind is gone, too.
				return &unstructured.UnstructuredList{}, nil
			}
			return list, err
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = only
			return c.Watch(ctx, o)
		},
	}
	none := func(store cache.Store) (bool, error) { return len(store.ListKeys()) == 0, nil }
	_, err := watchtools.UntilWithSync(ctx, lw, &unstructured.Unstructured{}, none, func(e watch.Event) (bool, error) {
		return e.Type == watch.Deleted, nil
	})
	return err
}
