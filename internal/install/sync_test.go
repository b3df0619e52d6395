package install

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestSame(t *testing.T) {
	made := func(change func(*unstructured.Unstructured)) *unstructured.Unstructured {
		o := object("v1", "ConfigMap", "a")
		o.SetResourceVersion("1")
		o.SetAnnotations(map[string]string{"a": "b"})
		o.Object["data"] = map[string]any{"key": "value"}
		if change != nil {
			change(o)
		}
		return o
	}
	tests := map[string]struct {
		now  *unstructured.Unstructured
		want bool
	}{
		"nothing":                {now: made(nil), want: true},
		"not there before":       {now: nil, want: false},
		"another data":           {now: made(func(o *unstructured.Unstructured) { o.Object["data"] = map[string]any{} }), want: false},
		"another annotation":     {now: made(func(o *unstructured.Unstructured) { o.SetAnnotations(nil) }), want: false},
		"what the server counts": {now: made(func(o *unstructured.Unstructured) { o.SetResourceVersion("2"); o.SetGeneration(3) }), want: true},
		"the status":             {now: made(func(o *unstructured.Unstructured) { o.Object["status"] = "fine" }), want: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := same(test.now, made(nil)); got != test.want {
				t.Errorf("got %t", got)
			}
		})
	}
}

func TestKept(t *testing.T) {
	tests := map[string]struct {
		annotations map[string]string
		want        bool
	}{
		"nothing said":         {nil, false},
		"Flux":                 {map[string]string{"kustomize.toolkit.fluxcd.io/prune": "disabled"}, true},
		"Flux, as by default":  {map[string]string{"kustomize.toolkit.fluxcd.io/prune": "enabled"}, false},
		"Argo CD":              {map[string]string{"argocd.argoproj.io/sync-options": "ServerSideApply=true,Prune=false"}, true},
		"Argo CD, another one": {map[string]string{"argocd.argoproj.io/sync-options": "ServerSideApply=true"}, false},
		"Helm":                 {map[string]string{"helm.sh/resource-policy": "keep"}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := object("v1", "ConfigMap", "a")
			o.SetAnnotations(test.annotations)
			if got := Kept(o); got != test.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
