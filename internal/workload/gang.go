package workload

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// Gang is what a file comes to on one backend.
type Gang struct {
	// Name is the job's, or the group's that the pods name.
	Name string
	// Roles are its pods, with their requests.
	Roles []scenario.Role
	// Min is how many of them it needs.
	Min int
	// LeftOut says, each in a phrase, what of the file is not taken into the lab.
	LeftOut []string

	manifest *scenario.Manifest
	madeBy   string
	file     string
	needs    []timeline.Pod // of each pod, in the order of the roles
	labels   map[string]string
}

// Gang finds the file's gang. The error names the object and the field that stand in
// the way.
func (f *File) Gang(r *catalog.Release, p *catalog.Pair) (*Gang, error) {
	g := &Gang{file: f.Name, labels: map[string]string{}}
	way := r.Gang()
	var err error
	switch {
	case p != nil:
		err = g.fromJob(f, p, r.SchedulerName())
	case way.Job != nil && slices.ContainsFunc(f.objects, func(u *unstructured.Unstructured) bool { return is(u, way.Job.ObjectKind) }):
		err = g.fromOwnJob(f, way.Job, r.SchedulerName())
	default:
		err = g.fromPods(f, &way, r.SchedulerName())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	if g.Min < 2 {
		return nil, fmt.Errorf("%s: %s: its minimum is %d: a gang needs two pods to be bound in part", f.Name, g.Name, g.Min)
	}
	return g, nil
}

// minimum takes the gang's name and minimum from its job, whose roles are known: all pods
// where the job does not say.
func (g *Gang) minimum(at string, job *unstructured.Unstructured, field string) error {
	if len(g.needs) > mostPods {
		return fmt.Errorf("%s: %d pods are more than %d", at, len(g.needs), mostPods)
	}
	g.Name, g.Min = job.GetName(), len(g.needs)
	if field == "" {
		return nil
	}
	if least, ok := gang.Field(job.Object, field).(int64); ok {
		if least < 1 || least > int64(len(g.needs)) {
			return fmt.Errorf("%s: %s: %d must be from 1 to its %d pods", at, field, least, len(g.needs))
		}
		g.Min = int(least)
	}
	return nil
}

// mostPods is the largest gang that is taken: the oracle must be exact for it.
const mostPods = 256

// String says what the gang is made of.
func (g *Gang) String() string {
	s := g.submit(g.Name)
	return strings.TrimPrefix(s.String(), "gang "+g.Name+" comes, ")
}

func (g *Gang) leaveOut(format string, args ...any) {
	g.LeftOut = append(g.LeftOut, fmt.Sprintf(format, args...))
}

// strip takes away what a lab does not have. Where it is empty, there is nothing to tell.
func (g *Gang) strip(u *unstructured.Unstructured, where string, paths []string) {
	for _, path := range paths {
		if path != "" && gang.Field(u.Object, path) != nil {
			unstructured.RemoveNestedField(u.Object, strings.Split(path, ".")...)
			g.leaveOut("%s: %s", where, path)
		}
	}
}
