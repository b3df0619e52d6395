package gang

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/scenario"
)

// Takes says that a manifest is submitted as its author wrote it. It is pods; or a job,
// whose kind is the operator's, and that asks for no scheduler but the one under test.
func (w Writer) Takes(m *scenario.Manifest) bool {
	if m != nil && len(m.Pods()) > 0 {
		return true
	}
	if w.Job == nil || m == nil || !m.Is(w.Job.APIVersion, w.Job.Kind) {
		return false
	}
	replicas, _ := Field(m.Object().Object, w.Job.Replicas).(map[string]any)
	for kind := range replicas {
		if asked, _ := Field(replicas, kind+".template.spec.schedulerName").(string); asked != "" && asked != w.Backend {
			return false
		}
	}
	return true
}

// manifest is a job as its author wrote it, with what tells us whose pods they are.
func (w Writer) manifest(s *scenario.Submit, name string) (*unstructured.Unstructured, error) {
	u := s.Manifest.Object()
	w.adopt(u, name, name)
	if r := w.Job.Runtime; r != nil {
		if err := w.checkRuntime(s); err != nil {
			return nil, err
		}
		put(u.Object, r.NameField, name)
		return u, nil
	}
	all, _ := Field(u.Object, w.Job.Replicas).(map[string]any)
	counts := map[string]int64{}
	for _, r := range s.Roles {
		kind := replicaType(w.Job, r.Name, all)
		counts[kind] = int64(r.Count)
		at := w.Job.Replicas + "." + kind
		if got, _ := Field(u.Object, at+".replicas").(int64); got != int64(r.Count) {
			return nil, fmt.Errorf("%s: %s.replicas: %d is not the %d of the role %s", s.Manifest.File, at, got, r.Count, r.Name)
		}
		mark(u.Object, at+".template", name, r.Name)
		if Field(u.Object, at+".template.spec.schedulerName") != nil {
			// In a safety control, the cluster's own scheduler has it.
			put(u.Object, at+".template.spec.schedulerName", w.Scheduler)
		}
	}
	for kind := range all {
		if counts[kind] == 0 {
			return nil, fmt.Errorf("%s: %s.%s: no role of the case is its own", s.Manifest.File, w.Job.Replicas, kind)
		}
	}
	return u, nil
}

// replicaType is the one of a role: by its name, or as the operator's data has it.
func replicaType(j *catalog.Job, role string, have map[string]any) string {
	for kind := range have {
		if strings.EqualFold(kind, role) {
			return kind
		}
	}
	return j.Types[role]
}

// mark puts what tells us whose pods they are into the pod template at a path.
func mark(object map[string]any, path, gang, role string) {
	path += ".metadata.labels"
	labels, _ := Field(object, path).(map[string]any)
	if labels == nil {
		labels = map[string]any{}
	}
	for key, value := range memberLabels(gang, role) {
		labels[key] = value
	}
	put(object, path, labels)
}

// checkRuntime checks that a manifest's job has its runtime with it, whose roles are the
// case's.
func (w Writer) checkRuntime(s *scenario.Submit) error {
	m, r := s.Manifest, w.Job.Runtime
	u := m.Runtime()
	if u == nil || u.GetKind() != r.Kind || Field(m.Object().Object, r.NameField) != u.GetName() {
		return fmt.Errorf("%s: the %s must name the %s before it", m.File, w.Job.Kind, r.Kind)
	}
	entries, _ := Field(u.Object, r.Roles).([]any)
	if len(entries) != len(s.Roles) {
		return fmt.Errorf("%s: %s: has %d entries, and the case %d roles", m.File, r.Roles, len(entries), len(s.Roles))
	}
	for i, role := range s.Roles {
		if name := Field(entries[i], "name"); name != role.Name {
			return fmt.Errorf("%s: %s.%d.name: %v is not the role %s", m.File, r.Roles, i, name, role.Name)
		}
	}
	return nil
}

// runtimeManifest is a runtime as its author wrote it, with what makes a gang of its jobs
// on this backend, and what tells us whose pods they are.
func (w Writer) runtimeManifest(s *scenario.Submit, name string) *unstructured.Unstructured {
	u, r := s.Manifest.Runtime(), w.Job.Runtime
	w.adopt(u, name, name)
	w.setFields(u)
	for i, role := range s.Roles {
		at := fmt.Sprintf("%s.%d.%s", r.Roles, i, r.Template)
		mark(u.Object, at, member(name, role), role.Name)
		put(u.Object, at+".spec.schedulerName", w.Scheduler)
	}
	return u
}

// member is the name that a role's pods go by: those that come first are not the gang's.
func member(gang string, r scenario.Role) string {
	if r.First {
		return gang + "-" + r.Name
	}
	return gang
}
