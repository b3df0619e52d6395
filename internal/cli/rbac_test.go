package cli_test

import (
	"path/filepath"
	"strings"
	"testing"
)

// used is all that the verifier's roles grant for native gang scheduling and no
// annotation keeps.
const used = `
- {user: "system:serviceaccount:gangctl:gangctl-verify", verb: create, resource: namespaces, count: 1}
- {user: "system:serviceaccount:gangctl:gangctl-verify", verb: watch, resource: serviceaccounts, count: 1}
- {user: "system:serviceaccount:gangctl:gangctl-verify", verb: create, resource: nodes, count: 1}
- {user: "system:serviceaccount:gangctl:gangctl-verify", verb: list, resource: nodes, count: 1}
- {user: "system:serviceaccount:gangctl:gangctl-verify", verb: watch, resource: nodes, count: 1}
- {user: "system:serviceaccount:gangctl:gangctl-verify", verb: list, resource: pods, count: 1}
- {user: "system:serviceaccount:gangctl:gangctl-verify", verb: watch, resource: pods, count: 1}
- {user: "system:serviceaccount:gangctl:gangctl-verify", verb: create, group: scheduling.k8s.io, resource: priorityclasses, count: 1}
- {user: "system:serviceaccount:gangctl:gangctl-verify", verb: delete, group: scheduling.k8s.io, resource: priorityclasses, count: 1}
`

const patched = `
- {user: "system:serviceaccount:gangctl:gangctl-verify", verb: patch, resource: pods, count: 1}
`

func TestRBACCheck(t *testing.T) {
	tests := map[string]struct {
		requests string
		outcome  string
		code     int
		want     string
		not      string
	}{
		"fine":   {used + patched, "Pass", 0, "  fine       nothing forbidden, nothing of ours unused\n", "forbidden  "},
		"unused": {used, "Pass", 1, "  unused     patch pods, by gangctl-verify, which is ours\n", "fine  "},
		"forbidden": {used + patched + `
- {user: "system:serviceaccount:gangctl:gangctl-verify", verb: get, resource: secrets, count: 3, refused: 2}
`, "Pass", 1, "  forbidden  get secrets (2 times)\n", "fine  "},
		"broke off": {used, "Inconclusive", 3, "inconclusive: 1 of 1 cases broke off (one), ", "fine  "},
		"forbidden before it broke off": {used + patched + `
- {user: "system:serviceaccount:gangctl:gangctl-verify", verb: get, resource: secrets, count: 3, refused: 2}
`, "Inconclusive", 1, "  forbidden  get secrets (2 times)\n", "fine  "},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			from := t.TempDir()
			write(t, filepath.Join(from, "cases", "one", "requests.yaml"), test.requests, 0o644)
			write(t, filepath.Join(from, "cases", "one", "verdict.yaml"), "case: one\nsubject: {outcome: "+test.outcome+"}\n", 0o644)
			code, stdout, stderr := run("--root", "../..", "rbac", "check", "kube-scheduler@v1.37.1", "--from", from)
			if code != test.code || !strings.Contains(stdout, test.want) || strings.Contains(stdout, test.not) {
				t.Errorf("exit %d, want %d\nstdout:\n%s\nwant in it: %sstderr:\n%s", code, test.code, stdout, test.want, stderr)
			}
		})
	}
}

func TestRBACCheckOfAMatrix(t *testing.T) {
	from := t.TempDir()
	dir := filepath.Join(from, "kube-scheduler@v1.37.1", "cases", "one")
	write(t, filepath.Join(dir, "requests.yaml"), used+patched, 0o644)
	write(t, filepath.Join(dir, "verdict.yaml"), "case: one\nsubject: {outcome: Pass}\n", 0o644)
	code, stdout, stderr := run("--root", "../..", "rbac", "check", "--from", from)
	// What was not run is told of, and is no pass.
	if code != 3 || !strings.Contains(stdout, "fine     kube-scheduler@v1.37.1\n") || !strings.Contains(stdout, "not run  volcano@v1.14.1\n") {
		t.Errorf("exit %d, want 3\nstdout:\n%s\nstderr:\n%s", code, stdout, stderr)
	}
}
