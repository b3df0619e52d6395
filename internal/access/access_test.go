package access

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

const user = "system:serviceaccount:ns:sa"

func objects(t *testing.T) []*unstructured.Unstructured {
	t.Helper()
	var all []*unstructured.Unstructured
	for _, text := range []string{`
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: binder
  labels: {app.kubernetes.io/managed-by: gangctl}
  annotations:
    gangctl.dev/kept: |
      delete,patch pods: preemption, which no case of the run brings about
rules:
- {apiGroups: [""], resources: [pods], verbs: [list, delete, patch]}
- {apiGroups: [""], resources: [pods/binding], verbs: [create]}
`, `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: binder}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: binder}
subjects: [{kind: ServiceAccount, name: sa, namespace: ns}]
`, `
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: built-in}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: "system:kube-scheduler"}
subjects: [{kind: ServiceAccount, name: sa, namespace: ns}]
`} {
		u := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(text), &u.Object); err != nil {
			t.Fatal(err)
		}
		all = append(all, u)
	}
	return all
}

func TestUnused(t *testing.T) {
	grants, err := Grants(objects(t))
	if err != nil {
		t.Fatal(err)
	}
	asked := []Request{
		{User: user, Verb: "list", Resource: "pods", Count: 2},
		{User: user, Verb: "create", Resource: "pods/binding", Count: 3, Refused: 3},
		{User: "another", Verb: "delete", Resource: "pods", Count: 1},
	}
	want := []Grant{
		{User: user, Role: "binder", Verb: "delete", Resource: "pods", Ours: true, Kept: "preemption, which no case of the run brings about"},
		{User: user, Role: "binder", Verb: "patch", Resource: "pods", Ours: true, Kept: "preemption, which no case of the run brings about"},
		// All of them were refused, so it was something else that stood in the way.
		{User: user, Role: "binder", Verb: "create", Resource: "pods/binding", Ours: true},
	}
	if diff := cmp.Diff(want, Unused(grants, asked)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(asked[1:2], Refused(asked, user)); diff != "" {
		t.Errorf("refused (-want +got):\n%s", diff)
	}
}

func TestTogether(t *testing.T) {
	get := Grant{User: user, Role: "binder", Verb: "get", Resource: "pods"}
	list, kept, other := get, get, get
	list.Verb, kept.Verb, kept.Kept, other.Role = "list", "watch", "for later", "reader"
	both := get
	both.Verb = "get,list"
	if diff := cmp.Diff([]Grant{both, kept, other}, Together([]Grant{get, kept, list, other})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSmallest(t *testing.T) {
	asked := []Request{
		{User: user, Verb: "watch", Resource: "nodes", Count: 1},
		{User: user, Verb: "list", Resource: "nodes", Count: 1},
		{User: user, Verb: "list", Resource: "pods", Count: 1},
		{User: user, Verb: "watch", Resource: "pods", Count: 1},
		{User: user, Verb: "create", Resource: "pods/binding", Count: 1},
		{User: user, Verb: "update", Group: "g", Resource: "podgroups", Count: 1},
	}
	want := []rbacv1.PolicyRule{
		{APIGroups: []string{""}, Resources: []string{"nodes", "pods"}, Verbs: []string{"list", "watch"}},
		{APIGroups: []string{""}, Resources: []string{"pods/binding"}, Verbs: []string{"create"}},
		{APIGroups: []string{"g"}, Resources: []string{"podgroups"}, Verbs: []string{"update"}},
	}
	if diff := cmp.Diff(want, Smallest(asked, user)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestMerge(t *testing.T) {
	a := Request{User: user, Verb: "list", Resource: "pods", Count: 1}
	b := Request{User: user, Verb: "list", Resource: "pods", Count: 2, Refused: 1}
	want := []Request{{User: user, Verb: "list", Resource: "pods", Count: 3, Refused: 1}}
	if diff := cmp.Diff(want, Merge([]Request{a}, []Request{b})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
