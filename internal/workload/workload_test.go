package workload

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/scenario"
)

var update = flag.Bool("update", false, "write the goldens anew")

// shipped is gangctl's own catalog.
func shipped(t *testing.T) *catalog.Catalog {
	t.Helper()
	c, err := catalog.Load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// read finds the gang of a manifest on a backend.
func read(t *testing.T, c *catalog.Catalog, backend, operator, file string, data []byte) (*Gang, *catalog.Pair, error) {
	t.Helper()
	on, err := c.Release(backend)
	if err != nil {
		t.Fatal(err)
	}
	f, err := Read(file, data)
	if err != nil {
		return nil, nil, err
	}
	p, err := f.Pair(c, on, operator)
	if err != nil {
		return nil, nil, err
	}
	g, err := f.Gang(on, p)
	return g, p, err
}

func TestCases(t *testing.T) {
	tests := map[string]struct{ file, backend, operator string }{
		"tfjob":      {"conformance/manifests/tf-smoke-gpu.yaml", "volcano@v1.14.1", "training-operator@v1.9.3/TFJob"},
		"mpijob":     {"examples/mpijob.yaml", "volcano@v1.14.1", "mpi-operator@v0.8.0/MPIJob"},
		"pytorchjob": {"examples/pytorchjob.yaml", "volcano@v1.14.1", "training-operator@v1.9.3/PyTorchJob"},
		"trainjob":   {"examples/trainjob.yaml", "volcano@v1.14.1", "trainer@v2.2.0/TrainJob"},
		"vcjob":      {"examples/vcjob.yaml", "volcano@v1.14.1", ""},
		"pods":       {"examples/pods.yaml", "volcano@v1.14.1", ""},
	}
	c := shipped(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("../..", test.file))
			if err != nil {
				t.Fatal(err)
			}
			g, p, err := read(t, c, test.backend, "", test.file, data)
			if err != nil {
				t.Fatal(err)
			}
			chosen := ""
			if p != nil {
				chosen = p.String()
			}
			if chosen != test.operator {
				t.Errorf("the operator is %q, want %q", chosen, test.operator)
			}
			cases, err := g.Cases()
			if err != nil {
				t.Fatal(err)
			}
			var got bytes.Buffer
			for _, what := range g.LeftOut {
				got.WriteString("# left out: " + what + "\n")
			}
			for _, s := range cases {
				text, err := yaml.Marshal(s)
				if err != nil {
					t.Fatal(err)
				}
				// What is written must be a case as any other.
				if _, err := scenario.Decode(s.Metadata.Name+".yaml", text); err != nil {
					t.Error(err)
				}
				got.WriteString("---\n")
				got.Write(text)
			}
			file := filepath.Join("testdata", name+".yaml")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("differs from %s; go test -update writes it anew:\n%s", file, got.String())
			}
		})
	}
}

func job(change ...string) string {
	return strings.NewReplacer(change...).Replace(`
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: train}
spec:
  runPolicy: {suspend: false}
  tfReplicaSpecs:
    Worker:
      replicas: 3
      template:
        spec:
          containers: [{name: tensorflow, resources: {limits: {nvidia.com/gpu: 1}}}]
`)
}

func pod(name string, change ...string) string {
	return strings.NewReplacer(change...).Replace(`
---
apiVersion: v1
kind: Pod
metadata: {name: ` + name + `, annotations: {scheduling.k8s.io/group-name: sweep}}
spec:
  schedulerName: volcano
  containers: [{name: main, resources: {limits: {nvidia.com/gpu: 1}}}]
`)
}

// runtimeAndJob are a runtime of one entry, and a job that names it.
var runtimeAndJob = [2]string{`
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainingRuntime
metadata: {name: torch}
spec:
  mlPolicy: {torch: {}}
  template: {spec: {replicatedJobs: [{name: node, template: {metadata: {labels: {trainer.kubeflow.org/trainjob-ancestor-step: trainer}}, spec: {template: {spec: {
    containers: [{name: node, resources: {limits: {nvidia.com/gpu: 1}}}]}}}}}]}}
`, `
apiVersion: trainer.kubeflow.org/v1alpha1
kind: TrainJob
metadata: {name: train}
spec: {runtimeRef: {name: torch}, trainer: {numNodes: 3}}
`}

func ownJob(change ...string) string {
	return strings.NewReplacer(change...).Replace(`
apiVersion: batch.volcano.sh/v1alpha1
kind: Job
metadata: {name: train}
spec:
  schedulerName: volcano
  minAvailable: 3
  tasks:
  - {name: worker, replicas: 3, template: {spec: {containers: [{name: main, resources: {limits: {nvidia.com/gpu: 1}}}]}}}
`)
}

const group = `
---
apiVersion: scheduling.volcano.sh/v1beta1
kind: PodGroup
metadata: {name: sweep}
spec: {minMember: 2}
`

func TestBadManifests(t *testing.T) {
	tests := map[string]struct {
		text, operator string
		want           string
	}{
		"empty":             {"# nothing\n", "", "m.yaml: holds no object"},
		"broken":            {"a: [", "", "m.yaml: document 1: "},
		"field twice":       {"kind: A\nkind: B\n", "", "m.yaml: document 1: "},
		"no name":           {"apiVersion: v1\nkind: Pod\n", "", `m.yaml: document 1: apiVersion "v1" and metadata.name "" must be set`},
		"two of one name":   {group + group, "", `m.yaml: document 2: metadata.name: "sweep" is the name of the PodGroup of document 1, too`},
		"a list":            {"apiVersion: v1\nkind: List\nitems: []\n", "", "m.yaml: document 1: kind: a List must be taken apart into documents"},
		"nobody serves it":  {job("TFJob", "FooJob"), "", "m.yaml: no gang is in it: of FooJob of kubeflow.org/v1, none is a pod, or a job that an operator of the catalog or the backend runs ("},
		"two jobs":          {job() + "---" + job("train", "other"), "", "m.yaml: TFJob train and TFJob other are two jobs: one gang at a time"},
		"pods besides":      {job() + pod("a"), "", "m.yaml: TFJob train and pods besides: the job's pods are made of it"},
		"another operator":  {job(), "mpi-operator", "m.yaml: TFJob train: operator mpi-operator does not serve TFJob of kubeflow.org/v1"},
		"operator for pods": {group + pod("a"), "mpi-operator", "m.yaml: holds pods and no job: operator mpi-operator has nothing to do with them"},
		"suspended":         {job("false", "true"), "", "m.yaml: TFJob train: spec.runPolicy.suspend: a suspended job has no pods"},
		"no replicas":       {job("tfReplicaSpecs", "pytorchReplicaSpecs"), "", "m.yaml: TFJob train: spec.tfReplicaSpecs: must be set"},
		"too many":          {job("replicas: 3", "replicas: 3000"), "", "m.yaml: TFJob train: spec.tfReplicaSpecs.Worker.replicas: 3000 must be from 0 to 256"},
		"too large":         {job("nvidia.com/gpu: 1", "nvidia.com/gpu: 2048"), "", "m.yaml: TFJob train: spec.tfReplicaSpecs.Worker.template: asks for 2048 of nvidia.com/gpu, and no node can ever hold more than 1024"},
		"one pod":           {job("replicas: 3", "replicas: 1"), "", "m.yaml: train: its minimum is 1: a gang needs two pods to be bound in part"},
		"minimum":           {job("suspend: false", "schedulingPolicy: {minAvailable: 4}"), "", "m.yaml: TFJob train: spec.runPolicy.schedulingPolicy.minAvailable: 4 must be from 1 to its 3 pods"},
		"another scheduler": {job("        spec:", "        spec:\n          schedulerName: kube-batch"), "", `m.yaml: TFJob train: spec.tfReplicaSpecs.Worker.template.spec.schedulerName: "kube-batch" is not the backend's, "volcano"`},
		"gated":             {job("        spec:", "        spec:\n          schedulingGates: [{name: x}]"), "", "m.yaml: TFJob train: spec.tfReplicaSpecs.Worker.template.spec.schedulingGates: "},
		"asks for nothing":  {job("{nvidia.com/gpu: 1}", "{}"), "", "m.yaml: train: no shortage can be made for its 3 pods, of which it needs 3, by anything that they request: "},
		"no group":          {pod("a") + pod("b"), "", "m.yaml: no PodGroup sweep is in it, which its pods name"},
		"no key":            {group + pod("a", "scheduling.k8s.io/group-name", "other"), "", "m.yaml: pod a: names no group, which this backend looks for in the annotation scheduling.k8s.io/group-name"},
		"no scheduler":      {group + pod("a", "schedulerName: volcano", "hostNetwork: false"), "", "m.yaml: pod a: spec.schedulerName: is not set, so volcano never sees it"},
		"two groups":        {group + pod("a") + pod("b", "sweep", "other"), "", `m.yaml: pod b: names the group "other", and others "sweep": one gang at a time`},
		"no runtime":        {runtimeAndJob[1], "", `m.yaml: TrainJob train: spec.runtimeRef.name: "torch" is not in the file: the ClusterTrainingRuntime that it names must be`},
		"mpi runtime":       {strings.Replace(runtimeAndJob[0], "torch: {}", "mpi: {}", 1) + "---" + runtimeAndJob[1], "", "m.yaml: TrainingRuntime torch: spec.mlPolicy.mpi: is not known here"},
		"later entry":       {strings.Replace(runtimeAndJob[0], "name: node", "name: node, dependsOn: [{name: data}]", 1) + "---" + runtimeAndJob[1], "", "m.yaml: TrainingRuntime torch: spec.template.spec.replicatedJobs.0.dependsOn: is not known here"},
		"too many nodes":    {runtimeAndJob[0] + "---" + strings.Replace(runtimeAndJob[1], "numNodes: 3", "numNodes: 300", 1), "", "m.yaml: TrainJob train: spec.trainer.numNodes: 300 must be from 0 to 256"},
		"own job, operator": {ownJob(), "trainer", "m.yaml: Job train is a job of volcano@v1.14.1's own: operator trainer has nothing to do with it"},
		"own job, no tasks": {ownJob("tasks", "roles"), "", "m.yaml: Job train: spec.tasks: must be set"},
		"task's minimum":    {ownJob("replicas: 3", "replicas: 3, minAvailable: 2"), "", "m.yaml: Job train: spec.tasks.0.minAvailable: is not known here"},
		"own job, minimum":  {ownJob("minAvailable: 3", "minAvailable: 4"), "", "m.yaml: Job train: spec.minAvailable: 4 must be from 1 to its 3 pods"},
		"own job, other":    {ownJob("schedulerName: volcano", "schedulerName: default-scheduler"), "", `m.yaml: Job train: spec.schedulerName: "default-scheduler" is not the backend's, "volcano"`},
		"replicas of text":  {job("replicas: 3", `replicas: "3"`), "", "m.yaml: TFJob train: spec.tfReplicaSpecs.Worker.replicas: 3 must be a whole number"},
		"long name":         {job("name: train", "name: "+strings.Repeat("a", 60)), "", "m.yaml: metadata.name: "},
		"no terms":          {job("        spec:", "        spec:\n          affinity: {nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {}}}"), "", "m.yaml: TFJob train: spec.tfReplicaSpecs.Worker.template.spec.affinity.nodeAffinity: nodeSelectorTerms: the first must be of labels"},
		"no values":         {job("        spec:", "        spec:\n          affinity: "+affinity("{key: zone, operator: In}")), "", "m.yaml: TFJob train: spec.tfReplicaSpecs.Worker.template.spec.affinity.nodeAffinity: zone In []: the lab's nodes have no such label"},
		"in and not in":     {job("        spec:", "        spec:\n          affinity: "+affinity("{key: zone, operator: In, values: [a, b]}, {key: zone, operator: NotIn, values: [a]}")), "", `m.yaml: TFJob train: spec.tfReplicaSpecs.Worker.template.spec.affinity.nodeAffinity: zone NotIn [a]: the lab's nodes have it with "a"`},
		"selector and in":   {job("        spec:", "        spec:\n          nodeSelector: {zone: c}\n          affinity: "+affinity("{key: zone, operator: In, values: [a, b]}")), "", "m.yaml: TFJob train: spec.tfReplicaSpecs.Worker.template.spec.affinity.nodeAffinity: zone In [a b]: the lab's nodes have no such label"},
		"of another kind":   {job(), "training-operator/MPIJob", "m.yaml: TFJob train: operator training-operator/MPIJob is asked for jobs of another kind"},
		"group too large":   {group + pod("a"), "", "m.yaml: PodGroup sweep: spec.minMember: 2 must be from 1 to its 1 pods"},
	}
	c := shipped(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g, _, err := read(t, c, "volcano@v1.14.1", test.operator, "m.yaml", []byte(test.text))
			if err == nil {
				_, err = g.Cases()
			}
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func affinity(requirements string) string {
	return "{nodeAffinity: {requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [{matchExpressions: [" + requirements + "]}]}}}"
}

// What the API server wrote into an object is not the author's, and what a lab does not have
// is left out.
func TestAsSubmitted(t *testing.T) {
	text := job("{name: train}", "{name: train, resourceVersion: '1', ownerReferences: [{uid: a}], finalizers: [a/b]}",
		"        spec:", "        spec:\n          topologySpreadConstraints: [{whenUnsatisfiable: DoNotSchedule}]\n          hostNetwork: true",
		"runPolicy: {", "runPolicy: {cleanPodPolicy: All, ") + "status: {conditions: []}\n"
	g, p, err := read(t, shipped(t), "volcano@v1.14.1", "training-operator@v1.9.3/TFJob", "m.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if p.String() != "training-operator@v1.9.3/TFJob" {
		t.Errorf("the operator is %s", p)
	}
	left := g.manifest.Object()
	if len(left.Object["metadata"].(map[string]any)) != 1 || left.Object["status"] != nil {
		t.Errorf("what is submitted: %v", left.Object)
	}
	const at = "TFJob train: spec.tfReplicaSpecs.Worker.template: spec."
	if want := []string{"TFJob train: spec.runPolicy.cleanPodPolicy", at + "hostNetwork", at + "topologySpreadConstraints"}; !slices.Equal(g.LeftOut, want) {
		t.Errorf("left out: %q, want %q", g.LeftOut, want)
	}
}

// Where there is no group, the pods' label is the minimum.
func TestMinimumInLabel(t *testing.T) {
	one := func(name, least string) string {
		return "---\napiVersion: v1\nkind: Pod\nmetadata: {name: " + name + ", labels: {pod-group.scheduling.sigs.k8s.io/name: sweep, pod-group.scheduling.sigs.k8s.io/min-available: '" + least +
			"'}}\nspec: {schedulerName: koord-scheduler, containers: [{name: main, resources: {limits: {nvidia.com/gpu: 1}}}]}\n"
	}
	for least, want := range map[string]string{
		"2": "", "4": `m.yaml: pod a: label pod-group.scheduling.sigs.k8s.io/min-available: "4" must be from 1 to the 3 pods`,
		"": `m.yaml: pod a: label pod-group.scheduling.sigs.k8s.io/min-available: "" must be from 1 to the 3 pods`,
	} {
		g, _, err := read(t, shipped(t), "koordinator@v1.8.0", "", "m.yaml", []byte(one("a", least)+one("b", least)+one("c", least)))
		if want != "" {
			if err == nil || err.Error() != want {
				t.Errorf("got  %v\nwant %s", err, want)
			}
			continue
		}
		if err != nil || g.Min != 2 {
			t.Errorf("%q: %+v, %v", least, g, err)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(job()))
	f.Add([]byte(group + pod("a") + pod("b")))
	f.Add([]byte(runtimeAndJob[0] + "---" + runtimeAndJob[1]))
	f.Add([]byte(ownJob()))
	f.Add([]byte(job("        spec:", "        spec:\n          affinity: "+affinity("{key: zone, operator: In, values: [a]}"))))
	c, err := catalog.Load(os.DirFS("../.."))
	if err != nil {
		f.Fatal(err)
	}
	on, err := c.Release("volcano@v1.14.1")
	if err != nil {
		f.Fatal(err)
	}
	// Whatever a manifest holds, there are cases or an error that names the file.
	named := func(t *testing.T, err error) bool {
		if err != nil && !strings.HasPrefix(err.Error(), "m.yaml: ") {
			t.Fatalf("the error does not name the file: %v", err)
		}
		return err == nil
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Read("m.yaml", data)
		if !named(t, err) {
			return
		}
		p, err := m.Pair(c, on, "")
		if !named(t, err) {
			return
		}
		g, err := m.Gang(on, p)
		if !named(t, err) {
			return
		}
		_, err = g.Cases()
		named(t, err)
	})
}
