package gang

import (
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/scenario"
)

// Deployments are what may make a gang's pods in place of the case.
var Deployments = catalog.ObjectKind{APIVersion: "apps/v1", Kind: "Deployment", Resource: "deployments"}

// Deployment makes the pods of one gang, each like the case's own.
func (w Writer) Deployment(s *scenario.Submit, name string) *unstructured.Unstructured {
	role := s.Roles[0]
	pod := w.pod(s, name, role, name)
	// A Deployment's pods are always begun again.
	put(pod.Object, "spec.restartPolicy", "Always")
	template := map[string]any{
		"metadata": map[string]any{"labels": toAny(pod.GetLabels()), "annotations": toAny(pod.GetAnnotations())},
		"spec":     pod.Object["spec"],
	}
	u := w.object(Deployments, name)
	put(u.Object, "spec", map[string]any{
		"replicas": int64(role.Count),
		"selector": map[string]any{"matchLabels": toAny(memberLabels(name, role.Name))},
		"template": template,
	})
	return u
}
