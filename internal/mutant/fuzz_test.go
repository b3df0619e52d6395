package mutant

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gangctl/gangctl/internal/scenario"
)

// Whatever a mutant's file holds, there is a mutant that can be put into a case, or an error
// that names the file.
func FuzzLoad(f *testing.F) {
	files, err := filepath.Glob("../../conformance/mutants/*/mutant.yaml")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		name := filepath.Base(filepath.Dir(file))
		f.Add([]byte(strings.Replace(string(data), "name: "+name, "name: broken", 1)))
	}
	data, err := os.ReadFile("../../conformance/cases/n-minus-two.yaml")
	if err != nil {
		f.Fatal(err)
	}
	whole, err := scenario.Decode("n-minus-two.yaml", data)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		all, err := Load(fstest.MapFS{"mutants/broken/mutant.yaml": {Data: data}}, "mutants")
		if err != nil {
			if !strings.HasPrefix(err.Error(), "mutants/broken/mutant.yaml: ") {
				t.Fatalf("the error does not name the file: %v", err)
			}
			return
		}
		if _, err := all[0].Case(whole); err != nil && !strings.HasPrefix(err.Error(), "mutant broken: spec.steps: ") {
			t.Fatalf("the error does not name the mutant: %v", err)
		}
	})
}
