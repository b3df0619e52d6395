package gang

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/scenario"
)

var update = flag.Bool("update", false, "write the goldens anew")

// byLabel is a backend whose pods join by a label.
var byLabel = &catalog.Gang{
	Group: &catalog.GroupObject{ObjectKind: catalog.ObjectKind{APIVersion: "scheduling.x-k8s.io/v1alpha1", Kind: "PodGroup", Resource: "podgroups"}, MinField: "spec.minMember"},
	Join:  catalog.Join{Label: "scheduling.x-k8s.io/pod-group"},
}

// byOwner is kube-batch's way with a PodDisruptionBudget, byLabels is ACK's.
var (
	byOwner = &catalog.Gang{
		Group: &catalog.GroupObject{ObjectKind: catalog.ObjectKind{APIVersion: "policy/v1beta1", Kind: "PodDisruptionBudget", Resource: "poddisruptionbudgets"}, MinField: "spec.minAvailable"},
		Join:  catalog.Join{Owner: &catalog.ObjectKind{APIVersion: "v1", Kind: "ConfigMap", Resource: "configmaps"}},
	}
	byLabels = &catalog.Gang{Join: catalog.Join{Label: "pod-group.scheduling.sigs.k8s.io/name", MinLabel: "pod-group.scheduling.sigs.k8s.io/min-available"}}
)

// shipped is how the newest release of a backend writes gangs down.
func shipped(t *testing.T, backend string) *catalog.Gang {
	t.Helper()
	c, err := catalog.Load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	r, err := c.Release(backend)
	if err != nil {
		t.Fatal(err)
	}
	g := r.Gang()
	return &g
}

func TestObjects(t *testing.T) {
	roles := []scenario.Role{
		{Name: "ps", Count: 1, CPU: "1", Memory: "2Gi"},
		{Name: "worker", Count: 2, GPUs: 2},
	}
	// The golden of each is testdata/<name>.yaml.
	tests := map[string]struct {
		gang   *catalog.Gang
		submit scenario.Submit
	}{
		"annotation": {gang: shipped(t, "volcano"), submit: scenario.Submit{Roles: roles}},
		"field":      {gang: shipped(t, "kube-scheduler"), submit: scenario.Submit{Roles: roles}},
		"list":       {gang: shipped(t, "kube-scheduler@v1.35.4"), submit: scenario.Submit{Roles: roles}},
		"label":      {gang: byLabel, submit: scenario.Submit{Roles: roles, Min: 2}},
		"owner":      {gang: byOwner, submit: scenario.Submit{Roles: roles}},
		"min-label":  {gang: byLabels, submit: scenario.Submit{Roles: roles}},
		"ungrouped":  {gang: byLabel, submit: scenario.Submit{Roles: roles, Ungrouped: true}},
		"plain":      {gang: nil, submit: scenario.Submit{Roles: roles}},
		"priorities": {gang: byLabel, submit: scenario.Submit{Roles: []scenario.Role{
			{Name: "ps", Count: 1, CPU: "1"},
			{Name: "low", Count: 1, GPUs: 1, Priority: 10},
			{Name: "high", Count: 1, GPUs: 1, Priority: 1000},
			{Name: "higher", Count: 1, Priority: 1000},
		}}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := Writer{Namespace: "case", Scheduler: "the-scheduler", Gang: test.gang}
			objects := append(w.Priorities(&test.submit), w.Pods(&test.submit, "train")...)
			if group := w.Group(&test.submit, "train"); group != nil {
				objects = append(objects, group)
			}
			if owner := w.Owner(&test.submit, "train"); owner != nil {
				owner.SetUID("the-uid")
				Own(owner, objects...)
				objects = append(objects, owner)
			}
			golden(t, name, objects)
		})
	}
}

// golden compares objects with testdata/<name>.yaml.
func golden(t *testing.T, name string, objects []*unstructured.Unstructured) {
	t.Helper()
	var got bytes.Buffer
	for _, o := range objects {
		text, err := yaml.Marshal(o)
		if err != nil {
			t.Fatal(err)
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
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestKeyReadsWhatPodsWrote(t *testing.T) {
	tests := map[string]struct {
		gang      *catalog.Gang
		ungrouped bool
		want      string
	}{
		"annotation":       {gang: &catalog.Gang{Join: catalog.Join{Annotation: "example.com/group"}}, want: "train"},
		"label":            {gang: byLabel, want: "train"},
		"field":            {gang: &catalog.Gang{Join: catalog.Join{Field: "spec.group.name"}}, want: "train"},
		"annotation, none": {gang: &catalog.Gang{Join: catalog.Join{Annotation: "example.com/group"}}, ungrouped: true},
		"label, none":      {gang: byLabel, ungrouped: true},
		"field, none":      {gang: &catalog.Gang{Join: catalog.Join{Field: "spec.group.name"}}, ungrouped: true},
		"plain":            {gang: nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			submit := &scenario.Submit{Ungrouped: test.ungrouped, Roles: []scenario.Role{{Name: "worker", Count: 1}}}
			pods := Writer{Gang: test.gang}.Pods(submit, "train")
			if got := Key(test.gang, pods[0]); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestGrouped(t *testing.T) {
	tests := map[string]struct {
		gang *catalog.Gang
		want bool
	}{
		"a group object":  {byLabel, true},
		"members only":    {&catalog.Gang{Join: byLabel.Join}, false},
		"plain pods only": {nil, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := Writer{Gang: test.gang}
			submit := &scenario.Submit{Roles: []scenario.Role{{Name: "worker", Count: 1}}}
			if got := w.Grouped(); got != test.want {
				t.Errorf("Grouped is %t, want %t", got, test.want)
			}
			if got := w.Group(submit, "train") != nil; got != test.want {
				t.Errorf("there is a group object: %t, want %t", got, test.want)
			}
		})
	}
}
