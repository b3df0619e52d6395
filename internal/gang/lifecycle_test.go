package gang

import (
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/scenario"
)

func ofJobs(steps string, files fstest.MapFS) (*scenario.Scenario, error) {
	tree := fstest.MapFS{"conformance/cases/toy.yaml": {Data: []byte(`
apiVersion: gangctl.dev/v1alpha1
kind: Scenario
metadata: {name: toy}
spec:
  description: A job.
  profile: operators
  feature: group-by-operator
  jobs: {kinds: [TFJob, TrainJob]}
  steps:
` + steps + `  - expect: {gang: train, bound: all, within: 1s}
  control: {scheduler: stopped}
`)}}
	for name, file := range files {
		tree[name] = file
	}
	all, err := scenario.Load(tree, "conformance/cases")
	if err != nil {
		return nil, err
	}
	return all[0], nil
}

const initialized = `
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: train}
spec:
  template:
    spec:
      replicatedJobs:
      - name: download
        template: {spec: {template: {spec: {containers: [{name: dataset-initializer}]}}}}
      - name: node
        dependsOn: [{name: download, status: Complete}]
        template: {spec: {template: {spec: {containers: [{name: node}]}}}}
---
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: train}
spec: {runtimeRef: {kind: TrainingRuntime, name: train}}
`

const initializedSteps = `  - submit:
      gang: train
      manifest: manifests/train.yaml
      roles: [{name: download, count: 1, first: true}, {name: node, count: 3}]
`

// Initializers go by a name of their own, and the policy is the backend's.
func TestRuntimeManifest(t *testing.T) {
	s, err := ofJobs(initializedSteps, fstest.MapFS{"conformance/manifests/train.yaml": {Data: []byte(initialized)}})
	if err != nil {
		t.Fatal(err)
	}
	w := Writer{Namespace: "case", Scheduler: "volcano", Backend: "volcano", Job: trainjob, Fields: map[string]any{"spec.podGroupPolicy.volcano": map[string]any{}}}
	if err := w.Check(s); err != nil {
		t.Fatal(err)
	}
	sub := s.Spec.Steps[0].Submit
	job, err := w.JobObject(sub, "train")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "manifest-of-runtime", []*unstructured.Unstructured{w.RuntimeObject(sub, "train"), job})
}

func TestJobsThatGiveUp(t *testing.T) {
	sub := &scenario.Submit{GivesUp: true, Roles: []scenario.Role{{Name: "worker", Count: 2}}}
	mpi, train := *mpijob, *trainjob
	mpi.Lifecycle.GiveUp = map[string]any{"spec.runPolicy.backoffLimit": int64(0)}
	train.Lifecycle.EntryGiveUp = map[string]any{"template.spec.backoffLimit": int64(0)}
	for name, j := range map[string]*catalog.Job{"mpijob-gives-up": &mpi, "trainjob-gives-up": &train} {
		t.Run(name, func(t *testing.T) {
			w := Writer{Namespace: "case", Scheduler: "the-scheduler", Job: j}
			job, err := w.JobObject(sub, "train")
			if err != nil {
				t.Fatal(err)
			}
			objects := []*unstructured.Unstructured{job}
			if runtime := w.RuntimeObject(sub, "train"); runtime != nil {
				objects = append(objects, runtime)
			}
			golden(t, name, objects)
		})
	}
}

func TestPatches(t *testing.T) {
	suspendable := *mpijob
	suspendable.Lifecycle.SuspendField = "spec.runPolicy.suspend"
	w := Writer{Job: &suspendable}
	want := map[string]any{"spec": map[string]any{"runPolicy": map[string]any{"suspend": true}}}
	if diff := cmp.Diff(want, w.SuspendPatch(true)); diff != "" {
		t.Errorf("suspended (-want +got):\n%s", diff)
	}
	// One pod of the first role is the launcher.
	patch, err := w.ScalePatch(&scenario.Submit{Roles: []scenario.Role{{Name: "worker", Count: 3}}}, "train")
	if err != nil {
		t.Fatal(err)
	}
	number := func(n int) map[string]any { return map[string]any{"replicas": int64(n)} }
	want = map[string]any{"spec": map[string]any{"mpiReplicaSpecs": map[string]any{"Launcher": number(1), "Worker": number(2)}}}
	if diff := cmp.Diff(want, patch); diff != "" {
		t.Errorf("scaled (-want +got):\n%s", diff)
	}
}

func TestJobsThatAreNotApplicable(t *testing.T) {
	submit := "  - submit: {gang: train, roles: [{name: worker, count: 4}]}\n"
	files := fstest.MapFS{"conformance/manifests/train.yaml": {Data: []byte(initialized)}}
	tests := map[string]struct {
		job   *catalog.Job
		gang  *catalog.Gang
		steps string
		want  string // "" is applicable
	}{
		"a job":            {job: tfjob, steps: submit},
		"no operator":      {steps: submit, want: "the case is of jobs, and no operator makes the gangs here"},
		"another kind":     {job: mpijob, steps: submit, want: "the case is of [TFJob TrainJob], and the jobs here are of the kind MPIJob"},
		"another manifest": {job: tfjob, steps: initializedSteps, want: "the case is of the TrainJob of conformance/manifests/train.yaml, which is not the kind of job here"},
		"no suspending":    {job: tfjob, steps: submit + "  - suspend: {gang: train}\n", want: "a TFJob can't be suspended"},
		"scaled":           {job: tfjob, steps: submit + "  - scale: {gang: train, role: worker, count: 2}\n"},
		"no scaling":       {job: trainjob, steps: submit + "  - scale: {gang: train, role: worker, count: 2}\n", want: "a TrainJob can't be given another number of pods"},
		"no group":         {job: tfjob, gang: byLabels, steps: submit + "  - expect: {gang: train, group: {min: 4}, within: 1s}\n", want: "this backend's gangs have no group object to look at"},
		"initializer in roles": {
			job: tfjob, steps: "  - submit: {gang: train, roles: [{name: ps, count: 1, first: true}, {name: worker, count: 2}]}\n",
			want: "what comes before the gang of a TFJob has to be in a manifest",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s, err := ofJobs(test.steps, files)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if err := (Writer{Job: test.job, Gang: test.gang}).Check(s); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}
