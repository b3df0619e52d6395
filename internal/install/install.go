// Package install puts rendered objects on a cluster: server-side apply in
// dependency order, with waits that watch. Applying again changes nothing.
package install

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	watchtools "k8s.io/client-go/tools/watch"

	apiruntime "k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
)

// Manager is the field manager of everything that gangctl applies.
const Manager = "gangctl"

// Installer applies objects to one cluster.
type Installer struct {
	client dynamic.Interface
	// plurals learns the resources of the CRDs it applies, so that objects of
	// theirs need no discovery.
	plurals map[schema.GroupVersionKind]resource
	mapper  meta.RESTMapper
}

type resource struct {
	schema.GroupVersionResource
	namespaced bool
}

// New returns an installer. The mapper resolves the kinds that the cluster serves
// already.
func New(cfg *rest.Config, mapper meta.RESTMapper) (*Installer, error) {
	c, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return nil, err
	}
	return &Installer{client: c, mapper: mapper, plurals: map[schema.GroupVersionKind]resource{}}, nil
}

// stage is the place of a kind in the order of work; higher waits for lower.
func stage(kind string) int {
	switch kind {
	case "Namespace", "CustomResourceDefinition", "PriorityClass":
		return 0
	case "Deployment", "Job", "DaemonSet", "StatefulSet":
		return 2
	case "MutatingWebhookConfiguration", "ValidatingWebhookConfiguration":
		return 3
	}
	return 1
}

const stages = 4

// Apply applies the objects, stage by stage, and waits until each CRD is served.
func (in *Installer) Apply(ctx context.Context, objects []*unstructured.Unstructured) error {
	for s := range stages {
		var now []*unstructured.Unstructured
		for _, o := range objects {
			if stage(o.GetKind()) == s {
				now = append(now, o)
			}
		}
		if err := in.applyAll(ctx, now); err != nil {
			return err
		}
		if err := in.Served(ctx, now); err != nil {
			return err
		}
	}
	return nil
}

// Served waits until each CRD among the objects is served.
func (in *Installer) Served(ctx context.Context, objects []*unstructured.Unstructured) error {
	for _, o := range objects {
		if o.GetKind() != "CustomResourceDefinition" {
			continue
		}
		if err := in.served(ctx, o); err != nil {
			return err
		}
	}
	return nil
}

// applyAll applies objects that don't depend on one another, several at a time.
func (in *Installer) applyAll(ctx context.Context, objects []*unstructured.Unstructured) error {
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(8)
	for _, o := range objects {
		work.Go(func() error { return in.apply(ctx, o) })
	}
	return work.Wait()
}

func (in *Installer) apply(ctx context.Context, o *unstructured.Unstructured) error {
	at := fmt.Sprintf("apply %s/%s", o.GetKind(), o.GetName())
	c, err := in.of(o)
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	// A busy API server gives up on a large CRD; to apply again is to go on.
	for try := 1; ; try++ {
		_, err = c.Apply(ctx, o.GetName(), o, metav1.ApplyOptions{FieldManager: Manager, Force: true})
		if err == nil {
			return nil
		}
		if try == tries || !apierrors.IsTimeout(err) && !apierrors.IsServerTimeout(err) {
			return fmt.Errorf("%s: %w", at, err)
		}
	}
}

// tries bounds how often an object is applied that the API server had no time for.
const tries = 3

// of reaches an object of its kind, and namespace if the kind has them.
func (in *Installer) of(o *unstructured.Unstructured) (dynamic.ResourceInterface, error) {
	r, err := in.resource(o)
	if err != nil {
		return nil, err
	}
	if r.namespaced {
		return in.client.Resource(r.GroupVersionResource).Namespace(o.GetNamespace()), nil
	}
	return in.client.Resource(r.GroupVersionResource), nil
}

func (in *Installer) resource(o *unstructured.Unstructured) (resource, error) {
	gvk := o.GroupVersionKind()
	if r, ok := in.plurals[gvk]; ok {
		return r, nil
	}
	m, err := in.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return resource{}, err
	}
	return resource{m.Resource, m.Scope.Name() == meta.RESTScopeNameNamespace}, nil
}

var crdResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// served waits until the CRD is established, and learns its resources.
func (in *Installer) served(ctx context.Context, crd *unstructured.Unstructured) error {
	ctx, cancel := context.WithTimeout(ctx, 90*time.Second)
	defer cancel()
	c := in.client.Resource(crdResource)
	only := fields.OneTermEqualSelector("metadata.name", crd.GetName()).String()
	lw := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (apiruntime.Object, error) {
			o.FieldSelector = only
			return c.List(ctx, o)
		},
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = only
			return c.Watch(ctx, o)
		},
	}
	_, err := watchtools.UntilWithSync(ctx, lw, &unstructured.Unstructured{}, nil, func(e watch.Event) (bool, error) {
		o, ok := e.Object.(*unstructured.Unstructured)
		return ok && condition(o, "Established"), nil
	})
	if err != nil {
		return fmt.Errorf("wait for crd %s to be served: %w", crd.GetName(), err)
	}
	group, _, _ := unstructured.NestedString(crd.Object, "spec", "group")
	kind, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "kind")
	plural, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "plural")
	scope, _, _ := unstructured.NestedString(crd.Object, "spec", "scope")
	versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
	for _, v := range versions {
		version, _, _ := unstructured.NestedString(v.(map[string]any), "name")
		gv := schema.GroupVersion{Group: group, Version: version}
		in.plurals[gv.WithKind(kind)] = resource{gv.WithResource(plural), scope == "Namespaced"}
	}
	return nil
}

func condition(o *unstructured.Unstructured, name string) bool {
	all, _, _ := unstructured.NestedSlice(o.Object, "status", "conditions")
	for _, c := range all {
		if m, ok := c.(map[string]any); ok && m["type"] == name && m["status"] == "True" {
			return true
		}
	}
	return false
}
