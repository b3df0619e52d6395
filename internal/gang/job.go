package gang

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/gangctl/gangctl/internal/scenario"
)

// Jobbed says that the gang is written down as a job, which an operator turns into a
// group and pods.
func (w Writer) Jobbed(s *scenario.Submit) bool {
	return w.Job != nil && !s.Ungrouped && s.MadeBy == ""
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
	if s.GivesUp {
		for path, value := range j.Lifecycle.GiveUp {
			put(u.Object, path, value)
		}
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
			replicas[j.Lead] = w.replica(s, name, r, 1)
			r.Count--
		}
		if kind == j.Lead && r.Count != 1 {
			return nil, fmt.Errorf("a %s has exactly one %s, not %d", j.Kind, kind, r.Count)
		}
		if r.Count > 0 {
			replicas[kind] = w.replica(s, name, r, r.Count)
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
	if w.Takes(s.Manifest) {
		return w.runtimeManifest(s, name)
	}
	u := w.object(r.ObjectKind, name)
	w.setFields(u)
	var roles []any
	for _, role := range s.Roles {
		entry := map[string]any{"name": role.Name}
		for _, path := range r.Counts {
			put(entry, path, int64(role.Count))
		}
		if s.GivesUp {
			for path, value := range w.Job.Lifecycle.EntryGiveUp {
				put(entry, path, value)
			}
		}
		spec := podSpec(name, role, w.Job.Container, w.Scheduler)
		put(entry, r.Template, template(name, role.Name, spec))
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
func (w Writer) replica(s *scenario.Submit, gang string, r scenario.Role, count int) map[string]any {
	spec := podSpec(gang, r, w.Job.Container, "")
	restart := "OnFailure"
	if s.GivesUp {
		restart = "Never"
	}
	return map[string]any{
		"replicas":      int64(count),
		"restartPolicy": restart,
		"template":      template(gang, r.Name, spec),
	}
}

// template is the pod template of a role.
func template(gang, role string, spec map[string]any) map[string]any {
	return map[string]any{
		"metadata": map[string]any{"labels": toAny(memberLabels(gang, role))},
		"spec":     spec,
	}
}

func toAny(labels map[string]string) map[string]any {
	all := map[string]any{}
	for k, v := range labels {
		all[k] = v
	}
	return all
}
