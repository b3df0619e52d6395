package workload

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/scenario"
)

// fromOwnJob reads a job of the backend's own kind.
func (g *Gang) fromOwnJob(f *File, j *catalog.OwnJob, scheduler string) error {
	job, err := g.jobOf(f, j.ObjectKind, func(*unstructured.Unstructured) bool { return false })
	if err != nil {
		return err
	}
	at := title(job)
	g.strip(job, at, j.Absent)
	if asked := gang.Field(job.Object, j.SchedulerField); asked != nil && asked != scheduler {
		return fmt.Errorf("%s: %s: %q is not the backend's, %q", at, j.SchedulerField, asked, scheduler)
	}
	entries, _ := gang.Field(job.Object, j.Roles).([]any)
	if len(entries) == 0 {
		return fmt.Errorf("%s: %s: must be set", at, j.Roles)
	}
	var pods []*unstructured.Unstructured
	for i, e := range entries {
		where := fmt.Sprintf("%s: %s.%d", at, j.Roles, i)
		entry, role, err := named(where, e, j.EntryUnread)
		if err != nil {
			return err
		}
		count, err := someOf(where+"."+j.Count, gang.Field(entry, j.Count))
		if err != nil {
			return err
		}
		template, _ := gang.Field(entry, j.Template).(map[string]any)
		if err := g.addRole(where+"."+j.Template, role, count, template, scheduler); err != nil {
			return err
		}
		for n := range count {
			pods = append(pods, podOf(template, role, fmt.Sprintf("%s-%s-%d", job.GetName(), role, n)))
		}
	}
	g.madeBy = scenario.ByBackend
	g.manifest = scenario.OwnJobManifest(g.file, job, pods)
	return g.minimum(at, job, j.MinField)
}

// podOf is a pod of a template.
func podOf(template map[string]any, role, name string) *unstructured.Unstructured {
	u := (&unstructured.Unstructured{Object: template}).DeepCopy()
	u.SetAPIVersion("v1")
	u.SetKind("Pod")
	u.SetName(name)
	setRole(u, role)
	return u
}
