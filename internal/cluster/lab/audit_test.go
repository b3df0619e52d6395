package lab

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gangctl/gangctl/internal/access"
)

// One allowed, one that a webhook refused, one that authorization did, one of a person,
// a watch that goes on and one that was refused, a list of what is not served, an object
// that is not there, and half a line.
const auditLog = `{"verb":"create","user":{"username":"system:serviceaccount:ns:sa"},"objectRef":{"apiGroup":"g","resource":"jobs"},"responseStatus":{"code":201},"annotations":{"authorization.k8s.io/decision":"allow"}}
{"verb":"create","user":{"username":"system:serviceaccount:ns:sa"},"objectRef":{"apiGroup":"g","resource":"jobs"},"responseStatus":{"code":403},"annotations":{"authorization.k8s.io/decision":"allow"}}
{"verb":"create","user":{"username":"system:serviceaccount:ns:sa"},"objectRef":{"resource":"pods","subresource":"binding"},"responseStatus":{"code":403},"annotations":{"authorization.k8s.io/decision":"forbid"}}
{"verb":"get","user":{"username":"admin"},"objectRef":{"resource":"pods"},"annotations":{"authorization.k8s.io/decision":"allow"}}
{"stage":"RequestReceived","verb":"watch","user":{"username":"system:serviceaccount:ns:sa"},"objectRef":{"resource":"pods"}}
{"stage":"RequestReceived","verb":"watch","user":{"username":"system:serviceaccount:ns:sa"},"objectRef":{"resource":"nodes"}}
{"stage":"ResponseComplete","verb":"watch","user":{"username":"system:serviceaccount:ns:sa"},"objectRef":{"resource":"nodes"},"annotations":{"authorization.k8s.io/decision":"forbid"}}
{"stage":"ResponseComplete","verb":"list","user":{"username":"system:serviceaccount:ns:sa"},"objectRef":{"apiGroup":"old","resource":"groups"},"responseStatus":{"code":404},"annotations":{"authorization.k8s.io/decision":"allow"}}
{"stage":"ResponseComplete","verb":"get","user":{"username":"system:serviceaccount:ns:sa"},"objectRef":{"apiGroup":"old","resource":"groups"},"responseStatus":{"code":404},"annotations":{"authorization.k8s.io/decision":"allow"}}
{"verb":"list","user":{"username":"system:serviceaccount:ns:sa"},`

func TestRequests(t *testing.T) {
	log := filepath.Join(t.TempDir(), "audit.log")
	if err := os.WriteFile(log, []byte(auditLog), 0o600); err != nil {
		t.Fatal(err)
	}
	const user = "system:serviceaccount:ns:sa"
	same := []access.Request{
		{User: user, Verb: "watch", Resource: "nodes", Count: 1, Refused: 1},
		{User: user, Verb: "watch", Resource: "pods", Count: 1},
		{User: user, Verb: "create", Resource: "pods/binding", Count: 1, Refused: 1},
	}
	first := int64(strings.IndexByte(auditLog, '\n') + 1)
	for from, jobs := range map[int64]int{0: 2, first: 1} {
		got, end, err := requests(log, from)
		if err != nil || end != int64(strings.LastIndexByte(auditLog, '\n')+1) {
			t.Fatalf("from %d: read to %d, %v", from, end, err)
		}
		want := append(slices.Clone(same), access.Request{User: user, Verb: "create", Group: "g", Resource: "jobs", Count: jobs},
			access.Request{User: user, Verb: "get", Group: "old", Resource: "groups", Count: 1},
			access.Request{User: user, Verb: "list", Group: "old", Resource: "groups", Count: 1, Missing: 1})
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("from %d (-want +got):\n%s", from, diff)
		}
	}
}
