package gang

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/scenario"
)

// Maker is the object that makes the pods of one gang, where that is neither the case nor an
// operator; nil where there is none.
func (w Writer) Maker(s *scenario.Submit, name string) *unstructured.Unstructured {
	switch {
	case s.MadeBy == scenario.ByDeployment:
		return w.deployment(s, name)
	case !w.OwnJob(s):
		return nil
	case s.Manifest != nil:
		return w.ownManifest(s, name)
	}
	return w.ownJob(s, name)
}

// MakerKind is the kind of that object.
func (w Writer) MakerKind(s *scenario.Submit) catalog.ObjectKind {
	if w.OwnJob(s) {
		return w.Gang.Job.ObjectKind
	}
	return deployments
}

// OwnJob says that the gang is written down as a job of the backend's own. In a safety control
// nobody knows those, and the case makes the pods.
func (w Writer) OwnJob(s *scenario.Submit) bool {
	return s.MadeBy == scenario.ByBackend && w.Gang != nil
}

// ownManifest is a job of the backend's own as its author wrote it.
func (w Writer) ownManifest(s *scenario.Submit, name string) *unstructured.Unstructured {
	u, j := s.Manifest.Object(), w.Gang.Job
	w.adopt(u, name, name)
	put(u.Object, j.SchedulerField, w.Scheduler)
	for i, role := range s.Roles {
		mark(u.Object, fmt.Sprintf("%s.%d.%s", j.Roles, i, j.Template), name, role.Name)
	}
	return u
}

// ownJob is the gang as a job of the backend's own, which makes the group, too.
func (w Writer) ownJob(s *scenario.Submit, name string) *unstructured.Unstructured {
	j := w.Gang.Job
	u := w.object(j.ObjectKind, name)
	for path, value := range j.Fields {
		put(u.Object, path, runtime.DeepCopyJSONValue(value))
	}
	put(u.Object, j.SchedulerField, w.Scheduler)
	put(u.Object, j.MinField, int64(s.Minimum()))
	var roles []any
	for _, r := range s.Roles {
		spec := podSpec(name, r, "main", "")
		spec["restartPolicy"] = "Never"
		entry := map[string]any{"name": r.Name}
		put(entry, j.Count, int64(r.Count))
		put(entry, j.Template, template(name, r.Name, spec))
		roles = append(roles, entry)
	}
	put(u.Object, j.Roles, roles)
	return u
}

// deployments are what may make a gang's pods in place of the case.
var deployments = catalog.ObjectKind{APIVersion: "apps/v1", Kind: "Deployment", Resource: "deployments"}

// deployment makes the pods of one gang, each like the case's own.
func (w Writer) deployment(s *scenario.Submit, name string) *unstructured.Unstructured {
	role := s.Roles[0]
	pod := w.pod(s, name, role, name)
	// A Deployment's pods are always begun again.
	put(pod.Object, "spec.restartPolicy", "Always")
	template := map[string]any{
		"metadata": map[string]any{"labels": toAny(pod.GetLabels()), "annotations": toAny(pod.GetAnnotations())},
		"spec":     pod.Object["spec"],
	}
	u := w.object(deployments, name)
	put(u.Object, "spec", map[string]any{
		"replicas": int64(role.Count),
		"selector": map[string]any{"matchLabels": toAny(memberLabels(name, role.Name))},
		"template": template,
	})
	return u
}

// GroupOf is the name that a group goes by: of one that the backend has made of a job of its
// own, and named after the job and its UID, the job's. The object is the group, or a pod that
// names it; the job is the controller of both.
func GroupOf(g *catalog.Gang, name string, object *unstructured.Unstructured) string {
	o := metav1.GetControllerOf(object)
	if g != nil && g.Job != nil && o != nil && o.Kind == g.Job.Kind && name == o.Name+"-"+string(o.UID) {
		return o.Name
	}
	return name
}
