package gang

import (
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Domains are the objects that tell the backend of the values of a node label; none where
// it reads the label itself.
func (w Writer) Domains(label string, values []string) []*unstructured.Unstructured {
	if w.Gang == nil || w.Gang.Topology == nil || w.Gang.Topology.Domain == nil {
		return nil
	}
	d := w.Gang.Topology.Domain
	var all []*unstructured.Unstructured
	for _, value := range values {
		u := w.object(d.ObjectKind, w.Namespace+"-"+value)
		u.SetNamespace("")
		u.SetLabels(map[string]string{ManagedBy: "gangctl"})
		for path, field := range d.Fields {
			put(u.Object, path, filled(field, label, value))
		}
		all = append(all, u)
	}
	return all
}

// filled is a field's value with the label and its value in the places of their names.
func filled(field any, label, value string) any {
	switch field := field.(type) {
	case string:
		return strings.NewReplacer("{label}", label, "{value}", value).Replace(field)
	case float64:
		return int64(field) // as JSON has every number
	}
	return field
}
