package render

import (
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gangctl/gangctl/internal/catalog"
)

// pair is a small tree with a backend and an operator that takes the scheduler's
// name from it.
func pair(t *testing.T, spoil map[string]string) (fstest.MapFS, *catalog.Pair) {
	t.Helper()
	files := map[string]string{
		"bundles/toy/backend.yaml": `
apiVersion: gangctl.dev/v1alpha1
kind: Backend
metadata: {name: toy}
spec:
  title: Toy
  schedulerName: toy-scheduler
  scheduler: toy
  gang: {group: {apiVersion: toy.dev/v1, kind: PodGroup, resource: podgroups, minField: spec.min}, join: {label: toy.dev/group}}
`,
		"bundles/toy/scheduler-name/kustomization.yaml": "resources: [name.yaml]\n",
		"bundles/toy/scheduler-name/name.yaml": `
apiVersion: v1
kind: ConfigMap
metadata:
  name: gangctl-scheduler-name
  annotations: {config.kubernetes.io/local-config: "true"}
data: {schedulerName: toy-scheduler}
`,
		"bundles/toy/v1.0.0/release.yaml": `
apiVersion: gangctl.dev/v1alpha1
kind: Release
spec:
  kubernetes: {range: ">=1.30.0", source: its README, lab: v1.34.4}
`,
		"bundles/toy/v1.0.0/kustomization.yaml": "resources: [config.yaml]\n",
		"bundles/toy/v1.0.0/config.yaml": `
apiVersion: v1
kind: ConfigMap
metadata: {name: config, namespace: toy}
data:
  config.yaml: |
    kind: KubeSchedulerConfiguration
    profiles:
    - schedulerName: toy-scheduler
`,
		"bundles/operators/jobs/operator.yaml": `
apiVersion: gangctl.dev/v1alpha1
kind: Operator
metadata: {name: jobs}
spec:
  title: Jobs
  jobs:
  - {apiVersion: jobs.dev/v1, kind: TFJob, resource: tfjobs, container: tensorflow, replicas: spec.replicas, types: {worker: Worker}}
`,
		"bundles/operators/jobs/v2.0.0/release.yaml": `
apiVersion: gangctl.dev/v1alpha1
kind: OperatorRelease
spec:
  kubernetes: {range: ">=1.30.0", source: its README, lab: v1.34.4}
  gangFlag: {deployment: jobs/operator, flag: --gang}
  backends:
  - {release: toy@v1.0.0, overlay: toy}
`,
		"bundles/operators/jobs/v2.0.0/base/kustomization.yaml": "resources: [deployment.yaml]\n",
		"bundles/operators/jobs/v2.0.0/base/deployment.yaml": `
apiVersion: apps/v1
kind: Deployment
metadata: {name: operator, namespace: jobs}
spec: {template: {spec: {containers: [{name: operator, image: example.com/operator, args: []}]}}}
`,
		"bundles/operators/jobs/v2.0.0/overlays/toy/kustomization.yaml": `
resources:
- ../../base
- ../../../../../toy/scheduler-name
patches:
- target: {kind: Deployment, name: operator}
  patch: |
    - {op: add, path: /spec/template/spec/containers/0/args/-, value: --gang=SCHEDULER}
replacements:
- source: {kind: ConfigMap, name: gangctl-scheduler-name, fieldPath: data.schedulerName}
  targets:
  - select: {kind: Deployment, name: operator}
    fieldPaths: [spec.template.spec.containers.0.args.0]
    options: {delimiter: "=", index: 1}
`,
	}
	tree := fstest.MapFS{}
	for name, text := range files {
		if to, ok := spoil[name]; ok {
			text = to
		}
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	c, err := catalog.Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	all, err := c.Pairs()
	if err != nil || len(all) != 1 {
		t.Fatalf("%d pairs, %v", len(all), err)
	}
	return tree, all[0]
}

func TestOperatorTakesTheNameFromTheBackend(t *testing.T) {
	tree, p := pair(t, nil)
	on, off, err := Pair(t.Context(), tree, p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text := string(on.YAML); !strings.Contains(text, "--gang=toy-scheduler") || strings.Contains(text, "gangctl-scheduler-name") {
		t.Errorf("with gang scheduling on:\n%s", text)
	}
	if len(on.Objects) != 2 || len(off.Objects) != 1 || strings.Contains(string(off.YAML), "--gang") {
		t.Errorf("%d objects on, %d off:\n%s", len(on.Objects), len(off.Objects), off.YAML)
	}
}

func TestSchedulersThatNobodyServes(t *testing.T) {
	const overlay = "bundles/operators/jobs/v2.0.0/overlays/toy/kustomization.yaml"
	tests := map[string]struct{ file, text, want string }{
		"the flag's": {
			overlay, `
resources: [../../base]
patches:
- target: {kind: Deployment, name: operator}
  patch: |
    - {op: add, path: /spec/template/spec/containers/0/args/-, value: --gang=toy}
`, "render toy@v1.0.0 with jobs@v2.0.0: deployment jobs/operator: --gang=toy names a scheduler that toy@v1.0.0 does not serve: it serves toy-scheduler",
		},
		"the configuration's": {
			"bundles/toy/v1.0.0/config.yaml", `
apiVersion: v1
kind: ConfigMap
metadata: {name: config, namespace: toy}
data: {config.yaml: "kind: KubeSchedulerConfiguration\nprofiles: [{schedulerName: toy}]"}
`, "render toy@v1.0.0 with jobs@v2.0.0: ConfigMap config, config.yaml: the profiles serve toy, and gangs ask for toy-scheduler",
		},
		"no Deployment": {
			"bundles/operators/jobs/v2.0.0/base/deployment.yaml", `
apiVersion: apps/v1
kind: Deployment
metadata: {name: operator, namespace: other}
spec: {template: {spec: {containers: [{name: operator, image: example.com/operator, args: []}]}}}
`, "render toy@v1.0.0 with jobs@v2.0.0: there is no Deployment jobs/operator",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tree, p := pair(t, map[string]string{test.file: test.text})
			_, _, err := Pair(t.Context(), tree, p, Options{})
			if err == nil || err.Error() != test.want {
				t.Errorf("got error  %v\nwant error %s", err, test.want)
			}
		})
	}
}
