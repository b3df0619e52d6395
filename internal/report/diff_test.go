package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gangctl/gangctl/internal/verdict"
)

func TestCompare(t *testing.T) {
	before := Build(meta(), []Case{
		given("stays", "core", "f", true, verdict.Pass, ""),
		given("breaks", "core", "f", true, verdict.Pass, ""),
		given("mends", "core", "f", true, verdict.Fail, "step 1: it was not so"),
		given("goes", "recovery", "f", true, verdict.Pass, ""),
	})
	later := meta()
	later.Version = "v2.0.0"
	after := Build(later, []Case{
		given("stays", "core", "f", true, verdict.Pass, ""),
		given("breaks", "core", "f", true, verdict.Fail, "step 2: 1 of 2 pods are bound at 1.234567s"),
		given("mends", "core", "f", true, verdict.Pass, ""),
		given("comes", "room", "f", false, verdict.Fail, "step 3: nothing was bound"),
	})
	d := Compare(before, after)
	if d.Same != 1 {
		t.Errorf("%d are the same, want 1", d.Same)
	}
	golden(t, "diff.txt", []byte(d.Text()))
	for _, x := range d.Changes {
		if worse := x.Case == "breaks"; x.Worse != worse {
			t.Errorf("%s is worse: %t", x.Case, x.Worse)
		}
	}
	if d := Compare(after, after); len(d.Changes) != 0 || d.Same != 4 {
		t.Errorf("a report differs from itself: %+v", d)
	}
}

func TestRead(t *testing.T) {
	dir := t.TempDir()
	want, err := Write(dir, meta(), mixed(t, dir))
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read(dir)
	if err != nil {
		t.Fatal(err)
	}
	if d := Compare(want, got); len(d.Changes) != 0 {
		t.Errorf("read back, it differs: %+v", d.Changes)
	}
	bad := filepath.Join(dir, "bad.yaml")
	for text, want := range map[string]string{
		"kind: Other\n":                    `kind: "Other" must be ConformanceReport`,
		"kind: ConformanceReport\nmore: 1": `unknown field "more"`,
	} {
		if err := os.WriteFile(bad, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(bad); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), bad) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
}
