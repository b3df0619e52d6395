package gang

import (
	"os"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/scenario"
)

// What groups may say besides their minimum, and who may make the pods. The golden of each
// is testdata/volcano-<name>.yaml.
func TestWaysToSubmit(t *testing.T) {
	roles := []scenario.Role{{Name: "ps", Count: 1, CPU: "500m"}, {Name: "worker", Count: 2, CPU: "1", GPUs: 1}}
	one := []scenario.Role{{Name: "worker", Count: 2, GPUs: 1, Gated: 1, Priority: 10}}
	tests := map[string]scenario.Submit{
		"queue":      {Roles: roles, Queue: "team", MinResources: true},
		"together":   {Roles: one, Together: "rack"},
		"former-key": {Roles: roles, FormerKey: true},
		"deployment": {Roles: one, MadeBy: scenario.ByDeployment},
		"own-job":    {Roles: roles, MadeBy: scenario.ByBackend},
	}
	w := Writer{Namespace: "case", Scheduler: "volcano", Gang: shipped(t, "volcano")}
	for name, submit := range tests {
		t.Run(name, func(t *testing.T) {
			var objects []*unstructured.Unstructured
			if group := w.Group(&submit, "train"); group != nil {
				objects = append(objects, group)
			}
			if maker := w.Maker(&submit, "train"); maker != nil {
				objects = append(objects, maker)
			} else {
				objects = append(objects, w.Pods(&submit, "train")...)
			}
			golden(t, "volcano-"+name, objects)
		})
	}
	golden(t, "volcano-queues", []*unstructured.Unstructured{w.Queue(&scenario.Queue{Name: "team", Weight: 3, GPUs: 8})})
	golden(t, "volcano-domains", w.Domains("rack", []string{"a", "b"}))
}

// A safety control has no backend, and so none of these.
func TestNoBackendNoQueues(t *testing.T) {
	w := Writer{Namespace: "case", Scheduler: "default-scheduler"}
	if q := w.Queue(&scenario.Queue{Name: "team"}); q != nil {
		t.Errorf("got the queue %v", q)
	}
	if d := w.Domains("rack", []string{"a"}); d != nil {
		t.Errorf("got the domains %v", d)
	}
}

func TestWhatBackendsLack(t *testing.T) {
	roles := []scenario.Role{{Name: "worker", Count: 2}}
	tests := map[string]struct {
		backend string
		submit  scenario.Submit
		want    string
	}{
		"queues":       {"scheduler-plugins", scenario.Submit{Roles: roles, Queue: "team"}, "this backend has no queues"},
		"resources":    {"kube-scheduler", scenario.Submit{Roles: roles, MinResources: true}, "this backend's groups do not say what they request"},
		"a former key": {"kube-batch", scenario.Submit{Roles: roles, FormerKey: true}, "this backend has no former key"},
		"topology":     {"volcano@v1.10.0", scenario.Submit{Roles: roles, Together: "rack"}, "this backend's groups can't say that their pods are to be near each other"},
		"own jobs":     {"kube-scheduler", scenario.Submit{Roles: roles, MadeBy: scenario.ByBackend}, "this backend has no kind of job of its own"},
		"nothing":      {"volcano", scenario.Submit{Roles: roles, Queue: "team", Together: "rack", MinResources: true, FormerKey: true}, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := &scenario.Scenario{Spec: scenario.Spec{Steps: []scenario.Step{{Submit: &test.submit}}}}
			got := ""
			if err := (Writer{Gang: shipped(t, test.backend)}).Check(s); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// A group that is named after its job and the job's UID goes by the job's name.
func TestGroupOfAJob(t *testing.T) {
	own := &catalog.Gang{Job: &catalog.OwnJob{ObjectKind: catalog.ObjectKind{APIVersion: "batch.volcano.sh/v1alpha1", Kind: "Job"}}}
	owner := &unstructured.Unstructured{}
	owner.SetAPIVersion("batch.volcano.sh/v1alpha1")
	owner.SetKind("Job")
	owner.SetName("train")
	owner.SetUID("1234")
	owned, free := &unstructured.Unstructured{Object: map[string]any{}}, &unstructured.Unstructured{Object: map[string]any{}}
	owned.SetOwnerReferences([]metav1.OwnerReference{*metav1.NewControllerRef(owner, owner.GroupVersionKind())})
	for name, test := range map[string]struct {
		gang   *catalog.Gang
		group  string
		object *unstructured.Unstructured
		want   string
	}{
		"of the job":       {own, "train-1234", owned, "train"},
		"another's":        {own, "train-9999", owned, "train-9999"},
		"nobody's":         {own, "train-1234", free, "train-1234"},
		"no jobs, no name": {byLabel, "train-1234", owned, "train-1234"},
		"no gangs":         {nil, "", free, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := GroupOf(test.gang, test.group, test.object); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// Each backend's data can be read; a release that does not know of topology has none.
func TestTopologyIsOfItsReleases(t *testing.T) {
	c, err := catalog.Load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	for ref, want := range map[string]bool{"volcano@v1.15.0": true, "volcano@v1.14.1": true, "volcano@v1.10.0": false, "volcano@v1.8.2": false} {
		r, err := c.Release(ref)
		if err != nil {
			t.Fatal(err)
		}
		if got := r.Gang().Topology != nil; got != want {
			t.Errorf("%s: topology %t, want %t", ref, got, want)
		}
	}
}
