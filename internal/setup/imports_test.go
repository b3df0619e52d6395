package setup_test

import (
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// rank is the flow of data: a package imports only what stands before it.
var rank = []string{
	"strict", "access", "timeline", "oracle", "catalog", "scenario", "verdict", "mutant", "report", "source", "toolchain", "render",
	"gang", "workload", "runfolder", "cluster", "install", "cluster/lab", "observe", "drive", "suite", "setup", "cli",
}

// pure packages judge and report; they know no cluster.
var pure = []string{"strict", "access", "timeline", "oracle", "catalog", "scenario", "verdict", "mutant", "report"}

func TestImportsGoOneWay(t *testing.T) {
	const module = "github.com/gangctl/gangctl/internal/"
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{join .Imports \" \"}}", "../...").Output()
	if err != nil {
		t.Fatal(err)
	}
	seen := 0
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		name, ok := strings.CutPrefix(words[0], module)
		if !ok {
			continue
		}
		seen++
		at := slices.Index(rank, name)
		if at < 0 {
			t.Errorf("package %s has no place in the flow", name)
		}
		for _, i := range words[1:] {
			if other, ok := strings.CutPrefix(i, module); ok && slices.Index(rank, other) >= at {
				t.Errorf("%s imports %s, which comes after it", name, other)
			}
			if slices.Contains(pure, name) && strings.HasPrefix(i, "k8s.io/client-go") {
				t.Errorf("%s is pure and imports %s", name, i)
			}
			if strings.Contains(i, "onsi/") || strings.Contains(i, "e2e-framework") {
				t.Errorf("%s imports %s, which belongs to conformance/", name, i)
			}
		}
		if base := name[strings.LastIndex(name, "/")+1:]; slices.Contains([]string{"utils", "util", "helpers", "common"}, base) {
			t.Errorf("a package named %s says nothing", base)
		}
	}
	if seen < len(rank) {
		t.Errorf("%d packages were looked at, there are at least %d", seen, len(rank))
	}
}
