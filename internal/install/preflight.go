package install

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Preflight asks before anything is applied whether the API server serves the kinds of all
// objects, but for those that CRDs among them bring. The error names every one that it does
// not, with the objects that are of it.
func (in *Installer) Preflight(objects []*unstructured.Unstructured) error {
	brought := map[schema.GroupKind]bool{}
	for _, o := range objects {
		if o.GetKind() == "CustomResourceDefinition" {
			group, _, _ := unstructured.NestedString(o.Object, "spec", "group")
			kind, _, _ := unstructured.NestedString(o.Object, "spec", "names", "kind")
			brought[schema.GroupKind{Group: group, Kind: kind}] = true
		}
	}
	lacking := map[string][]string{}
	for _, o := range objects {
		gvk := o.GroupVersionKind()
		if brought[gvk.GroupKind()] {
			continue
		}
		_, err := in.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
		if meta.IsNoMatchError(err) {
			kind := gvk.GroupVersion().String() + " " + gvk.Kind
			lacking[kind] = append(lacking[kind], o.GetName())
		} else if err != nil {
			return err
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	var all []string
	for kind, names := range lacking {
		all = append(all, fmt.Sprintf("%s (%s)", kind, strings.Join(names, ", ")))
	}
	slices.Sort(all)
	return fmt.Errorf("the API server does not serve %s", strings.Join(all, ", nor "))
}
