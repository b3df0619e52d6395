package install

import (
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func object(version, kind, name string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{Object: map[string]any{"apiVersion": version, "kind": kind}}
	o.SetName(name)
	return o
}

func crd(group, kind string) *unstructured.Unstructured {
	o := object("apiextensions.k8s.io/v1", "CustomResourceDefinition", kind)
	o.Object["spec"] = map[string]any{"group": group, "names": map[string]any{"kind": kind}}
	return o
}

func TestPreflight(t *testing.T) {
	// A server of 1.25 or newer, which has no policy/v1beta1.
	mapper := meta.NewDefaultRESTMapper(nil)
	for _, gvk := range []schema.GroupVersionKind{
		{Version: "v1", Kind: "Service"},
		{Group: "policy", Version: "v1", Kind: "PodDisruptionBudget"},
		{Group: "apiextensions.k8s.io", Version: "v1", Kind: "CustomResourceDefinition"},
	} {
		mapper.Add(gvk, meta.RESTScopeNamespace)
	}
	in := &Installer{mapper: mapper}
	service, own := object("v1", "Service", "a"), object("b.example/v1", "Queue", "default")
	tests := map[string]struct {
		objects []*unstructured.Unstructured
		want    string // "" is no error
	}{
		"served":              {objects: []*unstructured.Unstructured{service}},
		"a kind of its own":   {objects: []*unstructured.Unstructured{own, crd("b.example", "Queue")}},
		"another group's CRD": {objects: []*unstructured.Unstructured{own, crd("c.example", "Queue")}, want: "the API server does not serve b.example/v1 Queue (default)"},
		"another version, and a kind": {
			objects: []*unstructured.Unstructured{
				own, service, object("policy/v1beta1", "PodDisruptionBudget", "x"), object("policy/v1beta1", "PodDisruptionBudget", "y"),
			},
			want: "the API server does not serve b.example/v1 Queue (default), nor policy/v1beta1 PodDisruptionBudget (x, y)",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := in.Preflight(test.objects); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
