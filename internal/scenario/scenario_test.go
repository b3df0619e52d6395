package scenario

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the goldens anew")

func TestShippedCasesLoad(t *testing.T) {
	tree := os.DirFS("../..")
	cases, err := Load(tree, "conformance/cases")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := LoadProfiles(tree, "conformance/profiles.yaml", cases); err != nil {
		t.Error(err)
	}
}

// Adding a case is adding a file: no Go changes.
func TestAddedCaseShowsUp(t *testing.T) {
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS("../../conformance")); err != nil {
		t.Fatal(err)
	}
	before, err := Load(os.DirFS(root), "cases")
	if err != nil {
		t.Fatal(err)
	}
	const name = "zz-added"
	text := strings.Replace(read(t, "testdata/valid-every-operation.yaml"), "valid-every-operation", name, 1)
	if err := os.WriteFile(filepath.Join(root, "cases", name+".yaml"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	after, err := Load(os.DirFS(root), "cases")
	if err != nil {
		t.Fatal(err)
	}
	if len(after) != len(before)+1 || after[len(before)].Metadata.Name != name {
		t.Errorf("there were %d cases and are %d, want %s as the last of one more", len(before), len(after), name)
	}
}

func TestLoadErrors(t *testing.T) {
	tree := fstest.MapFS{"cases/README.md": {}, "profiles.yaml": {Data: []byte("- {name: core, about: All.}\n")}}
	if cases, err := Load(tree, "cases"); err == nil {
		t.Errorf("a folder without cases gives %v, want an error", cases)
	}
	_, err := LoadProfiles(fstest.MapFS{"p.yaml": {Data: []byte("- {name: core, about: All., rows: [all]}\n")}}, "p.yaml", nil)
	if want := `p.yaml: core: rows: "all" is neither backends nor operators`; err == nil || err.Error() != want {
		t.Errorf("got error  %v\nwant error %s", err, want)
	}
	stray := &Scenario{Metadata: Metadata{Name: "stray"}, Spec: Spec{Profile: "cor"}}
	_, err = LoadProfiles(tree, "profiles.yaml", []*Scenario{stray})
	if want := `case stray: spec.profile: "cor" is not in profiles.yaml`; err == nil || err.Error() != want {
		t.Errorf("got error  %v\nwant error %s", err, want)
	}
}

// The error for testdata/invalid-<name>.yaml is in invalid-<name>.err.
func TestInvalidCases(t *testing.T) {
	files, err := filepath.Glob("testdata/invalid-*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no testdata/invalid-*.yaml: %v", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			_, err := Decode(file, []byte(read(t, file)))
			if err == nil {
				t.Fatal("it is accepted")
			}
			if !strings.HasPrefix(err.Error(), file+": ") {
				t.Errorf("the error does not begin with the file's name: %v", err)
			}
			golden(t, strings.TrimSuffix(file, ".yaml")+".err", err.Error()+"\n")
		})
	}
}

// Every operation says itself in words, as people read them in a report.
func TestWords(t *testing.T) {
	const file = "testdata/valid-every-operation.yaml"
	s, err := Decode(file, []byte(read(t, file)))
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	said := map[string]bool{}
	var walk func(indent string, steps []Step)
	walk = func(indent string, steps []Step) {
		for i := range steps {
			name, op := steps[i].Op()
			said[name] = true
			fmt.Fprintf(&got, "%s%s: %s\n", indent, name, op)
			if r := steps[i].Repeat; r != nil {
				walk(indent+"  ", r.Steps)
			}
		}
	}
	walk("", s.Spec.Steps)
	for _, op := range Operations() {
		if !said[op] {
			t.Errorf("%s has no %s", file, op)
		}
	}
	golden(t, "testdata/valid-every-operation.txt", got.String())
}

func TestStepAt(t *testing.T) {
	steps := []Step{
		{Name: "a"},
		{Name: "b", Repeat: &Repeat{Times: 3, Steps: []Step{{Name: "b1"}, {Name: "b2"}}}},
		{Name: "c"},
		{Name: "d", Repeat: &Repeat{Times: 1, Steps: []Step{{Name: "d1"}}}},
	}
	var got []string
	for index := range 9 {
		name := "-"
		if step := StepAt(steps, index); step != nil {
			name = step.Name
		}
		got = append(got, name)
	}
	want := []string{"-", "a", "b", "b1", "b2", "c", "d", "d1", "-"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the steps at 0 to 8 (-want +got):\n%s", diff)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff(read(t, file), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
