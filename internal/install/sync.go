package install

import (
	"context"
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"
)

// Name is an object's in a list of what a sync did: Kind/name.
func Name(o *unstructured.Unstructured) string { return o.GetKind() + "/" + o.GetName() }

// Once applies the objects as kubectl apply --server-side does: their kinds are looked up
// first, then each is applied once, in the order given. It returns the names of those that
// were not there or not like that, and for each that could not be applied, why.
func (in *Installer) Once(ctx context.Context, objects []*unstructured.Unstructured) (changed, failed []string) {
	clients := make([]dynamic.ResourceInterface, len(objects))
	for i, o := range objects {
		c, err := in.of(o)
		if err != nil {
			failed = append(failed, fmt.Sprintf("%s: %s", Name(o), err))
			continue
		}
		clients[i] = c
	}
	for i, o := range objects {
		if clients[i] == nil {
			continue
		}
		different, err := once(ctx, clients[i], o)
		if err != nil {
			failed = append(failed, fmt.Sprintf("%s: %s", Name(o), err))
		} else if different {
			changed = append(changed, Name(o))
		}
	}
	return changed, failed
}

func once(ctx context.Context, c dynamic.ResourceInterface, o *unstructured.Unstructured) (different bool, err error) {
	before, err := c.Get(ctx, o.GetName(), metav1.GetOptions{})
	if err != nil && !apierrors.IsNotFound(err) {
		return false, err
	}
	after, err := c.Apply(ctx, o.GetName(), o, metav1.ApplyOptions{FieldManager: Manager, Force: true})
	if err != nil {
		return false, err
	}
	return !same(before, after), nil
}

// same says that two states of an object differ in nothing that somebody wants of it.
func same(a, b *unstructured.Unstructured) bool {
	return a != nil && b != nil && reflect.DeepEqual(wanted(a), wanted(b))
}

func wanted(o *unstructured.Unstructured) map[string]any {
	o = o.DeepCopy()
	delete(o.Object, "status")
	for _, field := range []string{"managedFields", "resourceVersion", "generation"} {
		unstructured.RemoveNestedField(o.Object, "metadata", field)
	}
	return o.Object
}
