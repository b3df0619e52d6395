package gang

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/scenario"
)

// Jobbed says that the gang is written down as a job, which an operator turns into a
// group and pods.
func (w Writer) Jobbed(s *scenario.Submit) bool {
	return w.Job != nil && !s.Ungrouped && !s.Deployment
}

// JobObject is the job of one gang. The error says what a job of this kind can't
// express.
func (w Writer) JobObject(s *scenario.Submit, name string) (*unstructured.Unstructured, error) {
	j := w.Job
	if w.Takes(s.Manifest) {
		return w.manifest(s, name)
	}
	u := w.object(j.ObjectKind, name)
	for path, value := range j.Fields {
		put(u.Object, path, value)
	}
	if s.Minimum() != s.Size() {
		if j.MinField == "" {
			return nil, fmt.Errorf("a %s can't say that %d of its %d pods are enough", j.Kind, s.Minimum(), s.Size())
		}
		put(u.Object, j.MinField, int64(s.Minimum()))
	}
	if j.Runtime != nil {
		put(u.Object, j.Runtime.NameField, name)
		return u, nil
	}
	w.setFields(u)
	replicas := map[string]any{}
	for i, r := range s.Roles {
		kind := j.Types[r.Name]
		if kind == "" {
			return nil, fmt.Errorf("a %s has no pods for the role %q (it has: %v)", j.Kind, r.Name, slices.Sorted(maps.Keys(j.Types)))
		}
		if _, taken := replicas[kind]; taken {
			return nil, fmt.Errorf("a %s has one kind of pods, %s, for two of the roles", j.Kind, kind)
		}
		if i == 0 && j.Lead != "" && !slices.ContainsFunc(s.Roles, func(o scenario.Role) bool { return j.Types[o.Name] == j.Lead }) {
			replicas[j.Lead] = w.replica(name, r, 1)
			r.Count--
		}
		if kind == j.Lead && r.Count != 1 {
			return nil, fmt.Errorf("a %s has exactly one %s, not %d", j.Kind, kind, r.Count)
		}
		if r.Count > 0 {
			replicas[kind] = w.replica(name, r, r.Count)
		}
	}
	put(u.Object, j.Replicas, replicas)
	return u, nil
}

// RuntimeObject is what the gang's job names, with the roles in it; nil where jobs hold
// them themselves.
func (w Writer) RuntimeObject(s *scenario.Submit, name string) *unstructured.Unstructured {
	r := w.Job.Runtime
	if r == nil {
		return nil
	}
	u := w.object(r.ObjectKind, name)
	w.setFields(u)
	var roles []any
	for _, role := range s.Roles {
		entry := map[string]any{"name": role.Name}
		for _, path := range r.Counts {
			put(entry, path, int64(role.Count))
		}
		spec := podSpec(name, role, w.Job.Container, w.Scheduler)
		put(entry, r.Template, map[string]any{
			"metadata": map[string]any{"labels": toAny(memberLabels(name, role.Name))},
			"spec":     spec,
		})
		roles = append(roles, entry)
	}
	put(u.Object, r.Roles, roles)
	return u
}

// setFields writes what makes a gang of the job.
func (w Writer) setFields(u *unstructured.Unstructured) {
	for path, value := range w.Fields {
		put(u.Object, path, runtime.DeepCopyJSONValue(value))
	}
}

// replica is one replica type's count and pod template.
func (w Writer) replica(gang string, r scenario.Role, count int) map[string]any {
	spec := podSpec(gang, r, w.Job.Container, "")
	return map[string]any{
		"replicas":      int64(count),
		"restartPolicy": "OnFailure",
		"template": map[string]any{
			"metadata": map[string]any{"labels": toAny(memberLabels(gang, r.Name))},
			"spec":     spec,
		},
	}
}

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
	all, _ := Field(u.Object, w.Job.Replicas).(map[string]any)
	counts := map[string]int64{}
	for _, r := range s.Roles {
		kind := replicaType(w.Job, r.Name, all)
		counts[kind] = int64(r.Count)
		at := w.Job.Replicas + "." + kind
		if got, _ := Field(u.Object, at+".replicas").(int64); got != int64(r.Count) {
			return nil, fmt.Errorf("%s: %s.replicas: %d is not the %d of the role %s", s.Manifest.File, at, got, r.Count, r.Name)
		}
		for key, value := range memberLabels(name, r.Name) {
			putLabel(u.Object, at+".template.metadata.labels", key, value)
		}
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

// putLabel writes a label, whose key may have dots, at a path.
func putLabel(object map[string]any, path, key, value string) {
	labels, _ := Field(object, path).(map[string]any)
	if labels == nil {
		labels = map[string]any{}
	}
	labels[key] = value
	put(object, path, labels)
}

func toAny(labels map[string]string) map[string]any {
	all := map[string]any{}
	for k, v := range labels {
		all[k] = v
	}
	return all
}
