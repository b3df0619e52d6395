package gang

import (
	"strings"
	"testing"
	"testing/fstest"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/scenario"
)

var tfjob = &catalog.Job{
	ObjectKind: catalog.ObjectKind{APIVersion: "kubeflow.org/v1", Kind: "TFJob", Resource: "tfjobs"},
	Container:  "tensorflow", Replicas: "spec.tfReplicaSpecs", Types: map[string]string{"ps": "PS", "worker": "Worker"},
	MinField: "spec.runPolicy.schedulingPolicy.minAvailable",
}

var mpijob = &catalog.Job{
	ObjectKind: catalog.ObjectKind{APIVersion: "kubeflow.org/v2beta1", Kind: "MPIJob", Resource: "mpijobs"},
	Container:  "mpi", Replicas: "spec.mpiReplicaSpecs", Types: map[string]string{"ps": "Launcher", "worker": "Worker"},
	Lead: "Launcher", Fields: map[string]any{"spec.slotsPerWorker": int64(1)},
}

var trainjob = &catalog.Job{
	ObjectKind: catalog.ObjectKind{APIVersion: "trainer.kubeflow.org/v1alpha1", Kind: "TrainJob", Resource: "trainjobs"},
	Container:  "node", Fields: map[string]any{"spec.runtimeRef.kind": "TrainingRuntime"},
	Runtime: &catalog.Runtime{
		ObjectKind: catalog.ObjectKind{APIVersion: "trainer.kubeflow.org/v1alpha1", Kind: "TrainingRuntime", Resource: "trainingruntimes"},
		NameField:  "spec.runtimeRef.name", Roles: "spec.template.spec.replicatedJobs",
		Counts: []string{"template.spec.parallelism", "template.spec.completions"}, Template: "template.spec.template",
	},
}

func TestJobs(t *testing.T) {
	ps, workers := scenario.Role{Name: "ps", Count: 1, CPU: "1"}, scenario.Role{Name: "worker", Count: 3, GPUs: 2}
	// The golden of each is testdata/<name>.yaml.
	tests := map[string]struct {
		job    *catalog.Job
		submit scenario.Submit
		fields map[string]any
	}{
		"tfjob":          {job: tfjob, submit: scenario.Submit{Roles: []scenario.Role{ps, workers}}},
		"tfjob-minimum":  {job: tfjob, submit: scenario.Submit{Roles: []scenario.Role{workers}, Min: 2}},
		"mpijob":         {job: mpijob, submit: scenario.Submit{Roles: []scenario.Role{ps, workers}}},
		"mpijob-no-lead": {job: mpijob, submit: scenario.Submit{Roles: []scenario.Role{workers}}},
		"trainjob": {
			job: trainjob, submit: scenario.Submit{Roles: []scenario.Role{ps, workers}},
			fields: map[string]any{"spec.podGroupPolicy.volcano": map[string]any{}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := Writer{Namespace: "case", Scheduler: "the-scheduler", Job: test.job, Fields: test.fields}
			job, err := w.JobObject(&test.submit, "train")
			if err != nil {
				t.Fatal(err)
			}
			objects := []*unstructured.Unstructured{job}
			if runtime := w.RuntimeObject(&test.submit, "train"); runtime != nil {
				objects = append(objects, runtime)
			}
			golden(t, name, objects)
		})
	}
}

func TestJobsThatCantBeWritten(t *testing.T) {
	tests := map[string]struct {
		job    *catalog.Job
		submit scenario.Submit
		want   string
	}{
		"role":       {tfjob, scenario.Submit{Roles: []scenario.Role{{Name: "chief", Count: 1}}}, `a TFJob has no pods for the role "chief" (it has: [ps worker])`},
		"minimum":    {mpijob, scenario.Submit{Min: 2, Roles: []scenario.Role{{Name: "worker", Count: 3}}}, "a MPIJob can't say that 2 of its 3 pods are enough"},
		"no minimum": {trainjob, scenario.Submit{Min: 2, Roles: []scenario.Role{{Name: "worker", Count: 3}}}, "a TrainJob can't say that 2 of its 3 pods are enough"},
		"two leads":  {mpijob, scenario.Submit{Roles: []scenario.Role{{Name: "ps", Count: 2}, {Name: "worker", Count: 3}}}, "a MPIJob has exactly one Launcher, not 2"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Writer{Job: test.job}.JobObject(&test.submit, "train")
			if err == nil || err.Error() != test.want {
				t.Errorf("got error  %v\nwant error %s", err, test.want)
			}
		})
	}
}

const guideJob = `
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: train}
spec:
  tfReplicaSpecs:
    Worker:
      replicas: 2
      restartPolicy: OnFailure
      template:
        metadata: {labels: {app.example.com/job: mine}}
        spec:
          schedulerName: kube-batch
          containers: [{name: tensorflow, image: example.com/tf, args: [python]}]
`

// withManifest is a case that submits the guide's job, of two workers by its roles.
func withManifest(t *testing.T, manifest string, count string) *scenario.Submit {
	t.Helper()
	all, err := scenario.Load(fstest.MapFS{
		"conformance/manifests/guide.yaml": {Data: []byte(manifest)},
		"conformance/cases/guide.yaml": {Data: []byte(`
apiVersion: gangctl.dev/v1alpha1
kind: Scenario
metadata: {name: guide}
spec:
  description: The guide's job.
  profile: core
  feature: all-or-nothing
  steps:
  - submit: {gang: train, manifest: manifests/guide.yaml, roles: [{name: worker, count: ` + count + `}]}
  - expect: {gang: train, bound: all, within: 1s}
  control: {scheduler: stopped}
`)},
	}, "conformance/cases")
	if err != nil {
		t.Fatal(err)
	}
	return all[0].Spec.Steps[0].Submit
}

func TestManifest(t *testing.T) {
	// The golden of each is testdata/<name>.yaml.
	for name, w := range map[string]Writer{
		"manifest":     {Namespace: "case", Scheduler: "kube-batch", Backend: "kube-batch", Gang: byLabel, Job: tfjob},
		"manifest-off": {Namespace: "case", Scheduler: "default-scheduler", Backend: "kube-batch", Job: tfjob},
		// A job for another scheduler: the roles are written down instead.
		"manifest-of-kube-batch": {Namespace: "case", Scheduler: "volcano", Backend: "volcano", Gang: byLabel, Job: tfjob},
		// Another operator's kind: so here.
		"manifest-as-mpijob": {Namespace: "case", Scheduler: "kube-batch", Backend: "kube-batch", Gang: byLabel, Job: mpijob},
	} {
		t.Run(name, func(t *testing.T) {
			job, err := w.JobObject(withManifest(t, guideJob, "2"), "train")
			if err != nil {
				t.Fatal(err)
			}
			golden(t, name, []*unstructured.Unstructured{job})
		})
	}
}

func TestManifestsThatDontFit(t *testing.T) {
	kubeBatch := Writer{Scheduler: "kube-batch", Backend: "kube-batch", Gang: byLabel, Job: tfjob}
	tests := map[string]struct {
		writer          Writer
		manifest, count string
		want            string
	}{
		"another count":   {kubeBatch, guideJob, "3", "conformance/manifests/guide.yaml: spec.tfReplicaSpecs.Worker.replicas: 2 is not the 3 of the role worker"},
		"a role too many": {kubeBatch, guideJob + "    PS: {replicas: 1}\n", "2", "conformance/manifests/guide.yaml: spec.tfReplicaSpecs.PS: no role of the case is its own"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := test.writer.JobObject(withManifest(t, test.manifest, test.count), "train")
			if err == nil || err.Error() != test.want {
				t.Errorf("got error  %v\nwant error %s", err, test.want)
			}
		})
	}
	if strings.Contains(guideJob, "PS") {
		t.Error("the guide's job has a PS already")
	}
}
