package catalog

import (
	"maps"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const (
	operatorFile        = "bundles/operators/jobs/operator.yaml"
	operatorReleaseFile = "bundles/operators/jobs/v2.0.0/release.yaml"
)

// toyOperator is the small valid tree with a variant and an operator.
func toyOperator() fstest.MapFS {
	tree := toy()
	tree[releaseFile].Data = append(tree[releaseFile].Data, `  variants:
  - {name: default-scheduler, about: In its place., overlay: overlays/default-scheduler, schedulerName: default-scheduler, replaces: kube-scheduler}
`...)
	empty := &fstest.MapFile{Data: []byte("resources: []\n")}
	maps.Copy(tree, fstest.MapFS{
		"bundles/toy/v1.0.0/overlays/default-scheduler/kustomization.yaml": empty,
		"bundles/toy/scheduler-name/kustomization.yaml":                    empty,
		operatorFile: {Data: []byte(`
apiVersion: gangctl.dev/v1alpha1
kind: Operator
metadata: {name: jobs}
spec:
  title: Jobs
  jobs:
  - {apiVersion: jobs.dev/v1, kind: TFJob, resource: tfjobs, container: tensorflow, replicas: spec.replicas, types: {ps: PS, worker: Worker}}
  - {apiVersion: jobs.dev/v1, kind: MPIJob, resource: mpijobs, container: mpi, replicas: spec.replicas, types: {worker: Worker}, lead: Launcher}
`)},
		operatorReleaseFile: {Data: []byte(`
apiVersion: gangctl.dev/v1alpha1
kind: OperatorRelease
spec:
  kubernetes: {range: ">=1.30.0", source: its README, lab: v1.34.4}
  gangFlag: {deployment: jobs/operator, flag: --gang}
  backends:
  - {release: toy@v1.0.0, overlay: toy}
  - {release: toy@v1.0.0+default-scheduler, overlay: toy-default, kubernetes: v1.34.1}
`)},
		"bundles/operators/jobs/v2.0.0/base/kustomization.yaml":                 empty,
		"bundles/operators/jobs/v2.0.0/overlays/toy/kustomization.yaml":         empty,
		"bundles/operators/jobs/v2.0.0/overlays/toy-default/kustomization.yaml": empty,
	})
	return tree
}

func TestVariantsAreReleases(t *testing.T) {
	c, err := Load(toyOperator())
	if err != nil {
		t.Fatal(err)
	}
	type seen struct{ Name, Folder, Scheduler, Replaces, Module string }
	var got []seen
	for _, r := range c.Backends[0].Releases {
		got = append(got, seen{r.String(), r.Folder(), r.SchedulerName(), r.Replaces(), r.Modules()[0].Name})
	}
	want := []seen{
		{"toy@v1.0.0", "bundles/toy/v1.0.0", "toy", "", "toy@v1.0.0"},
		{"toy@v1.0.0+default-scheduler", "bundles/toy/v1.0.0/overlays/default-scheduler", "default-scheduler", "kube-scheduler", "toy@v1.0.0"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if r, err := c.Release("toy"); err != nil || r.Variant != nil {
		t.Errorf("the newest is %v, %v; want the release itself", r, err)
	}
}

func TestPair(t *testing.T) {
	c, err := Load(toyOperator())
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct {
		ref, on             string
		name, overlay, kube string
		err                 string
	}{
		"newest, first kind":    {ref: "jobs", on: "toy", name: "jobs@v2.0.0/TFJob", overlay: "toy", kube: "v1.34.4"},
		"version and kind":      {ref: "jobs@v2.0.0/MPIJob", on: "toy", name: "jobs@v2.0.0/MPIJob", overlay: "toy", kube: "v1.34.4"},
		"kind without version":  {ref: "jobs/MPIJob", on: "toy", name: "jobs@v2.0.0/MPIJob", overlay: "toy", kube: "v1.34.4"},
		"variant":               {ref: "jobs", on: "toy@v1.0.0+default-scheduler", name: "jobs@v2.0.0/TFJob", overlay: "toy-default", kube: "v1.34.1"},
		"unknown operator":      {ref: "job", on: "toy", err: `unknown operator "job": did you mean "jobs"? (there are: jobs)`},
		"unknown version":       {ref: "jobs@v3.0.0", on: "toy", err: `unknown version of jobs "v3.0.0": did you mean "v2.0.0"? (there are: v2.0.0)`},
		"unknown kind":          {ref: "jobs/TFjob", on: "toy", err: `unknown kind of jobs@v2.0.0 "TFjob": did you mean "TFJob"? (there are: MPIJob, TFJob)`},
		"a backend without one": {ref: "jobs", on: "other", err: "jobs@v2.0.0 has no overlay for other@v1.0.0 (it has: toy@v1.0.0, toy@v1.0.0+default-scheduler)"},
	}
	other := &Backend{Metadata: Metadata{Name: "other"}}
	other.Releases = []*Release{{Backend: other, Version: "v1.0.0"}}
	c.Backends = append(c.Backends, other)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			on, err := c.Release(test.on)
			if err != nil {
				t.Fatal(err)
			}
			p, err := c.Pair(test.ref, on)
			if test.err != "" {
				if err == nil || err.Error() != test.err {
					t.Errorf("got %v, error %v\nwant error %s", p, err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := []string{p.String(), p.Overlay, p.Kubernetes}
			want := []string{test.name, "bundles/operators/jobs/v2.0.0/overlays/" + test.overlay, test.kube}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPairsHaveEachKindAndEachBackend(t *testing.T) {
	c, err := Load(toyOperator())
	if err != nil {
		t.Fatal(err)
	}
	all, err := c.Pairs()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, p := range all {
		got = append(got, p.String()+" on "+p.Backend.String())
	}
	want := []string{
		"jobs@v2.0.0/TFJob on toy@v1.0.0",
		"jobs@v2.0.0/MPIJob on toy@v1.0.0",
		"jobs@v2.0.0/TFJob on toy@v1.0.0+default-scheduler",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// An operator may leave a backend for another: each keeps the versions that it was run with.
func TestPairIsTheNewestForTheBackend(t *testing.T) {
	tree := toyOperator()
	newer := strings.Replace(string(tree[operatorReleaseFile].Data), "  - {release: toy@v1.0.0, overlay: toy}\n", "", 1)
	tree["bundles/operators/jobs/v2.1.0/release.yaml"] = &fstest.MapFile{Data: []byte(newer)}
	for _, name := range []string{"base", "overlays/toy-default"} {
		tree["bundles/operators/jobs/v2.1.0/"+name+"/kustomization.yaml"] = &fstest.MapFile{Data: []byte("resources: []\n")}
	}
	c, err := Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ ref, on, want, err string }{
		"both have one": {ref: "jobs", on: "toy@v1.0.0+default-scheduler", want: "jobs@v2.1.0/TFJob"},
		"one has one":   {ref: "jobs", on: "toy@v1.0.0", want: "jobs@v2.0.0/TFJob"},
		"pinned":        {ref: "jobs@v2.1.0", on: "toy@v1.0.0", err: "jobs@v2.1.0 has no overlay for toy@v1.0.0 (it has: toy@v1.0.0+default-scheduler)"},
		"none has it":   {ref: "jobs/TFjob", on: "toy@v1.0.0", err: `unknown kind of jobs@v2.1.0 "TFjob": did you mean "TFJob"? (there are: MPIJob, TFJob)`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			on, err := c.Release(test.on)
			if err != nil {
				t.Fatal(err)
			}
			p, err := c.Pair(test.ref, on)
			switch {
			case test.err != "":
				if err == nil || err.Error() != test.err {
					t.Errorf("got %v, error %v\nwant error %s", p, err, test.err)
				}
			case err != nil || p.String() != test.want:
				t.Errorf("got %v, error %v; want %s", p, err, test.want)
			}
		})
	}
}

func TestInvalidOperators(t *testing.T) {
	tests := map[string]struct{ file, from, to, want string }{
		"name":              {operatorFile, "name: jobs", "name: job", operatorFile + `: metadata.name: "job" must be the folder's name, "jobs"`},
		"job without kind":  {operatorFile, "kind: MPIJob, ", "", operatorFile + ": spec.jobs[1]: apiVersion, kind, resource and container must be set"},
		"job without roles": {operatorFile, "replicas: spec.replicas, types: {worker: Worker}, lead", "lead", operatorFile + ": spec.jobs[1]: replicas and types must be set, or runtime"},
		"half a runtime":    {operatorFile, "replicas: spec.replicas, types: {worker: Worker}, lead: Launcher", "runtime: {apiVersion: jobs.dev/v1, kind: Runtime, resource: runtimes}", operatorFile + ": spec.jobs[1]: runtime: apiVersion, kind, resource, nameField, roles, counts and template must be set"},
		"runtime and types": {operatorFile, "lead: Launcher", "runtime: {apiVersion: jobs.dev/v1, kind: Runtime, resource: runtimes, nameField: spec.runtime, roles: spec.roles, counts: [count], template: pod}", operatorFile + ": spec.jobs[1]: replicas, types, lead and minField are for jobs without a runtime"},
		"flag":              {operatorReleaseFile, "jobs/operator", "operator", operatorReleaseFile + `: spec.gangFlag: flag must be set, and deployment "operator" be namespace/name`},
		"no such backend":   {operatorReleaseFile, "{release: toy@v1.0.0, ", "{release: toys@v1.0.0, ", `bundles/operators/jobs/v2.0.0/release.yaml: spec.backends: unknown backend "toys": did you mean "toy"? (there are: toy)`},
		"no such overlay":   {operatorReleaseFile, "overlay: toy}", "overlay: tois}", operatorReleaseFile + ": no kustomization.yaml in bundles/operators/jobs/v2.0.0/overlays/tois (spec.backends[0].overlay)"},
		"unknown field":     {operatorReleaseFile, "gangFlag", "gangflag", operatorReleaseFile + `: unknown field "spec.gangflag"`},
		"Kubernetes of two": {operatorReleaseFile, "v1.34.1", "v1.35.0", operatorReleaseFile + ": spec.backends: toy@v1.0.0+default-scheduler: toy@v1.0.0+default-scheduler supports Kubernetes >=1.34.0 <1.35.0 (its go.mod), not v1.35.0"},
		"variant's name":    {releaseFile, "name: default-scheduler, about", "name: Default, about", releaseFile + `: spec.variants[0]: name "Default" must be a DNS label, and about must be set`},
		"variant's overlay": {releaseFile, "overlay: overlays/default-scheduler", "overlay: overlays/default", releaseFile + ": no kustomization.yaml in bundles/toy/v1.0.0/overlays/default"},
		"no minimum":        {backendFile, "group: {apiVersion: toy.dev/v1, kind: PodGroup, resource: podgroups, minField: spec.min}\n", "\n", backendFile + ": spec.gang: the minimum must be in a group, or else in join.minLabel"},
		"half an owner":     {backendFile, "join: {label: toy.dev/group}", "join: {owner: {kind: ConfigMap}}", backendFile + ": spec.gang.join.owner: apiVersion, kind and resource must be set"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tree := toyOperator()
			before := string(tree[test.file].Data)
			if !strings.Contains(before, test.from) {
				t.Fatalf("%s does not have %q", test.file, test.from)
			}
			tree[test.file] = &fstest.MapFile{Data: []byte(strings.Replace(before, test.from, test.to, 1))}
			_, err := Load(tree)
			if err == nil || err.Error() != test.want {
				t.Errorf("got error  %v\nwant error %s", err, test.want)
			}
		})
	}
}
