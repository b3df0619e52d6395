package workload

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/scenario"
)

// fromJob reads a job that an operator serves.
func (g *Gang) fromJob(f *File, p *catalog.Pair, scheduler string) error {
	j := p.Job
	job, err := g.jobOf(f, j.ObjectKind, func(u *unstructured.Unstructured) bool { return isRuntime(u, j.Runtime) })
	if err != nil {
		return err
	}
	at := title(job)
	g.strip(job, at, p.Operator.Operator.Spec.Absent)
	// What the operator needs, and what keeps pods that have ended.
	for path, value := range j.Fields {
		if err := unstructured.SetNestedField(job.Object, value, strings.Split(path, ".")...); err != nil {
			return fmt.Errorf("%s: %w", at, err)
		}
	}
	var runtime *unstructured.Unstructured
	if j.Runtime == nil {
		err = g.fromReplicas(at, job, j, scheduler)
	} else {
		runtime, err = g.fromRuntime(f, at, job, j, scheduler)
	}
	if err != nil {
		return err
	}
	g.manifest = scenario.JobManifest(g.file, job, runtime)
	return g.minimum(at, job, j.MinField)
}

// jobOf is a copy of the file's job of a kind. What the job does not need besides is left
// out.
func (g *Gang) jobOf(f *File, kind catalog.ObjectKind, needs func(*unstructured.Unstructured) bool) (*unstructured.Unstructured, error) {
	var job *unstructured.Unstructured
	for _, u := range f.objects {
		switch {
		case is(u, kind):
			job = u.DeepCopy()
		case !needs(u):
			g.leaveOut("%s", title(u))
		}
	}
	for _, field := range []string{"spec.suspend", "spec.runPolicy.suspend"} {
		if gang.Field(job.Object, field) == true {
			return nil, fmt.Errorf("%s: %s: a suspended job has no pods", title(job), field)
		}
	}
	return job, nil
}

func title(u *unstructured.Unstructured) string { return u.GetKind() + " " + u.GetName() }

// fromReplicas reads the replica types of a job.
func (g *Gang) fromReplicas(at string, job *unstructured.Unstructured, j *catalog.Job, scheduler string) error {
	replicas, _ := gang.Field(job.Object, j.Replicas).(map[string]any)
	if len(replicas) == 0 {
		return fmt.Errorf("%s: %s: must be set", at, j.Replicas)
	}
	for _, kind := range slices.Sorted(maps.Keys(replicas)) {
		where := fmt.Sprintf("%s: %s.%s", at, j.Replicas, kind)
		entry, _ := replicas[kind].(map[string]any)
		if entry == nil {
			return fmt.Errorf("%s: must be set", where)
		}
		count, err := countOf(where+".replicas", entry["replicas"])
		if err != nil {
			return err
		}
		if count == 0 {
			delete(replicas, kind)
			continue
		}
		entry["replicas"] = count
		template, _ := entry["template"].(map[string]any)
		if err := g.addRole(where+".template", strings.ToLower(kind), count, template, scheduler); err != nil {
			return err
		}
	}
	return nil
}

// fromRuntime reads the entries of the runtime that a job names, and returns it.
func (g *Gang) fromRuntime(f *File, at string, job *unstructured.Unstructured, j *catalog.Job, scheduler string) (*unstructured.Unstructured, error) {
	r := j.Runtime
	name, _ := gang.Field(job.Object, r.NameField).(string)
	var runtime *unstructured.Unstructured
	for _, u := range f.objects {
		switch {
		case !isRuntime(u, r):
		case u.GetName() != name:
			g.leaveOut("%s", title(u))
		default:
			runtime = u.DeepCopy()
		}
	}
	if runtime == nil {
		return nil, fmt.Errorf("%s: %s: %q is not in the file: the %s that it names must be, as it has the pods", at, r.NameField, name, cmp.Or(r.ClusterKind, r.Kind))
	}
	where := title(runtime)
	if runtime.GetKind() != r.Kind {
		g.leaveOut("%s, as a %s is in its place", where, r.Kind)
		runtime.SetKind(r.Kind)
	}
	g.strip(runtime, where, r.Absent)
	if err := unread(where+": ", runtime.Object, r.Unread); err != nil {
		return nil, err
	}
	entries, _ := gang.Field(runtime.Object, r.Roles).([]any)
	for i, e := range entries {
		where := fmt.Sprintf("%s: %s.%d", where, r.Roles, i)
		entry, role, err := named(where, e, r.EntryUnread)
		if err != nil {
			return nil, err
		}
		template, _ := gang.Field(entry, r.Template).(map[string]any)
		counted, number := where+"."+r.Counts[0], gang.Field(entry, r.Counts[0])
		if s := r.Sized; s != nil && sized(entry, s) {
			if gang.Field(runtime.Object, s.Policy) != nil {
				counted, number = title(runtime)+": "+s.Count, gang.Field(runtime.Object, s.Count)
			}
			if own := gang.Field(job.Object, s.JobCount); own != nil {
				counted, number = at+": "+s.JobCount, own
			}
			if own := gang.Field(job.Object, s.JobResources); own != nil {
				giveResources(template, j.Container, own)
			}
		}
		count, err := someOf(counted, number)
		if err != nil {
			return nil, err
		}
		if err := g.addRole(where+"."+r.Template, role, count, template, scheduler); err != nil {
			return nil, err
		}
	}
	if len(entries) == 0 {
		return nil, fmt.Errorf("%s: %s: must be set", where, r.Roles)
	}
	return runtime, nil
}

// isRuntime says that an object is of the kind that jobs name; nil is none.
func isRuntime(u *unstructured.Unstructured, r *catalog.Runtime) bool {
	return r != nil && u.GetAPIVersion() == r.APIVersion && (u.GetKind() == r.Kind || u.GetKind() == r.ClusterKind)
}

// sized says that an entry is the one that its job gives another size.
func sized(entry map[string]any, s *catalog.SizedEntry) bool {
	labels, _ := gang.Field(entry, s.Labels).(map[string]any)
	return labels[s.Label] == s.Value
}

// giveResources gives a template's container the requests and limits of its job.
func giveResources(template map[string]any, container string, resources any) {
	containers, _ := gang.Field(template, "spec.containers").([]any)
	for _, c := range containers {
		if c, _ := c.(map[string]any); c["name"] == container {
			c["resources"] = resources
		}
	}
}
