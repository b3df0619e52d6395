package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gangctl/gangctl/internal/cli"
	"github.com/gangctl/gangctl/internal/runfolder"
)

func TestMain(m *testing.M) {
	runfolder.ReapIfAsked()
	os.Exit(m.Run())
}

func run(args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = cli.Run(args, cli.Streams{In: strings.NewReader(""), Out: &out, Err: &err})
	return code, out.String(), err.String()
}

// copyTree makes a tree that a test may spoil.
func copyTree(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for _, dir := range []string{"bundles", "lab", "conformance"} {
		if err := os.CopyFS(filepath.Join(root, dir), os.DirFS("../../"+dir)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

func TestBadInput(t *testing.T) {
	spoilt := copyTree(t)
	write(t, filepath.Join(spoilt, "conformance/cases/spoilt.yaml"), "apiVersion: gangctl.dev/v1alpha1\nkind: Scenario\nspec: {setle: 1s}\n", 0o644)
	tests := map[string]struct {
		args []string
		want string
	}{
		"unknown backend":             {[]string{"run", "--backend", "volcan"}, `unknown backend "volcan": did you mean "volcano"?`},
		"unknown version":             {[]string{"run", "--backend", "volcano@v1.14.2"}, `unknown version of volcano "v1.14.2": did you mean "v1.14.1"?`},
		"unknown case":                {[]string{"run", "--case", "n-minus-tow"}, `unknown case "n-minus-tow": did you mean "n-minus-two"?`},
		"unknown profile":             {[]string{"run", "--profile", "cor"}, `unknown profile "cor": did you mean "core"?`},
		"unknown command":             {[]string{"rnu"}, `unknown command "rnu"`},
		"unknown flag":                {[]string{"run", "--bakend", "volcano"}, "unknown flag: --bakend"},
		"a provider to come":          {[]string{"run", "--provider", "existing"}, `provider "existing": not supported yet; use lab`},
		"no such provider":            {[]string{"run", "--provider", "minikube"}, `unknown provider "minikube"`},
		"a cluster":                   {[]string{"run", "--kubeconfig", "x"}, "--kubeconfig is for --provider existing"},
		"outside the range":           {[]string{"run", "--backend", "volcano@v1.14.1", "--kubernetes", "v1.37.1"}, "volcano@v1.14.1 supports Kubernetes >=1.34.0 <1.35.0"},
		"a Kubernetes we don't build": {[]string{"run", "--kubernetes", "v1.34.3"}, `unknown version of kubernetes "v1.34.3": did you mean "v1.34.4"?`},
		"no Kubernetes at all":        {[]string{"run", "--kubernetes", "new"}, `kubernetes version "vnew"`},
		"no such bin-dir":             {[]string{"run", "--bin-dir", "/nowhere/at/all"}, "--bin-dir: stat /nowhere/at/all"},
		"no such component":           {[]string{"run", "--component", "/nowhere"}, "component /nowhere: /components/0: there is no kustomization.yaml"},
		"negative patience":           {[]string{"run", "--patience", "-1"}, "--patience -1 and --parallel 0 must not be negative"},
		"an output we don't write":    {[]string{"run", "--output", "xml"}, `--output "xml" must be text or json`},
		"a wrong field in a case":     {[]string{"--root", spoilt, "run"}, `conformance/cases/spoilt.yaml: unknown field "spec.setle"`},
		"a root that is none":         {[]string{"--root", t.TempDir(), "list"}, "no bundles/*/backend.yaml in this tree"},
		"no timeline":                 {[]string{"judge", "nowhere.jsonl"}, "open nowhere.jsonl"},
		"no lab is up":                {[]string{"lab", "kubeconfig", "--name", "none-of-that-name"}, "lab none-of-that-name is not up; start it with: gangctl-verify lab up"},
		"a lab's name with a slash":   {[]string{"lab", "down", "--name", "../x"}, `--name "../x" must be a plain name`},
	}
	t.Setenv("GANGCTL_CACHE", t.TempDir())
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			code, stdout, stderr := run(test.args...)
			if code != cli.ExitUsage || stdout != "" || !strings.Contains(stderr, test.want) {
				t.Errorf("exit %d, stdout %q, stderr %q\nwant exit %d and %q", code, stdout, stderr, cli.ExitUsage, test.want)
			}
		})
	}
}

// What is in our way, and is not the input's fault, is inconclusive.
func TestUnready(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "", 0o644)
	tests := map[string]struct {
		set  map[string]string
		want string
	}{
		"no Go":                {map[string]string{"PATH": t.TempDir(), "GANGCTL_CACHE": t.TempDir()}, "Go 1.26 or newer is needed"},
		"a cache below a file": {map[string]string{"GANGCTL_CACHE": filepath.Join(file, "x")}, "GANGCTL_CACHE"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Setenv("KUBEBUILDER_ASSETS", "")
			for k, v := range test.set {
				t.Setenv(k, v)
			}
			code, _, stderr := run("run")
			if code != cli.ExitInconclusive || !strings.Contains(stderr, test.want) {
				t.Errorf("exit %d, stderr %q\nwant exit %d and %q", code, stderr, cli.ExitInconclusive, test.want)
			}
		})
	}
}

// A component that exits at once ends the case, with its last words.
func TestComponentExitsAtOnce(t *testing.T) {
	bin := t.TempDir()
	for _, name := range []string{
		"etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler", "kwok",
		"vc-scheduler", "vc-controller-manager", "vc-webhook-manager",
	} {
		write(t, filepath.Join(bin, name), "#!/bin/sh\necho listen tcp: address already in use >&2\nexit 1\n", 0o755)
	}
	out := t.TempDir()
	code, stdout, stderr := run("run", "--bin-dir", bin, "--case", "n-minus-two", "--out", out)
	if code != cli.ExitInconclusive || !strings.Contains(stdout, "1 inconclusive") || !strings.Contains(stderr, "etcd: listen tcp: address already in use") {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	for _, name := range []string{"report.yaml", "junit.xml", "index.html", "cases/n-minus-two/verdict.yaml"} {
		if _, err := os.Stat(filepath.Join(out, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestList(t *testing.T) {
	code, stdout, _ := run("list", "--output", "json")
	if code != 0 || !strings.Contains(stdout, `"name": "volcano"`) || !strings.Contains(stdout, `"name": "two-gangs-one-room"`) {
		t.Errorf("exit %d: %s", code, stdout)
	}
}

func TestJudgeExitCodes(t *testing.T) {
	cut := filepath.Join(t.TempDir(), "timeline.jsonl")
	write(t, cut, `{"seq":1,"at":0.000000,"beg`, 0o644)
	if code, stdout, stderr := run("judge", cut); code != cli.ExitInconclusive || !strings.Contains(stdout, "outcome: Inconclusive") {
		t.Errorf("exit %d, stdout %q, stderr %q", code, stdout, stderr)
	}
	garbage := filepath.Join(t.TempDir(), "timeline.jsonl")
	write(t, garbage, "noise\nnoise\n", 0o644)
	if code, _, stderr := run("judge", garbage); code != cli.ExitUsage || !strings.Contains(stderr, "line 1") {
		t.Errorf("exit %d, stderr %q", code, stderr)
	}
}

func TestHelpTeaches(t *testing.T) {
	for _, command := range []string{"run", "matrix", "rbac", "list", "judge", "render", "lab", "cache", "version", "completion"} {
		if code, stdout, stderr := run(command, "--help"); code != 0 || !strings.Contains(stdout, "Usage:") {
			t.Errorf("%s --help: exit %d, %q, %q", command, code, stdout, stderr)
		}
	}
}
