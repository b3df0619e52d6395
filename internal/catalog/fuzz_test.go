package catalog

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// fuzzFile puts data in the place of one file of a small tree. Whatever it holds, there is
// a catalog or an error that names a file.
func fuzzFile(f *testing.F, file string, globs ...string) {
	f.Helper()
	f.Add(toyOperator()[file].Data)
	for _, glob := range globs {
		seeds, err := filepath.Glob("../../" + glob)
		if err != nil {
			f.Fatal(err)
		}
		for _, seed := range seeds {
			data, err := os.ReadFile(seed)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		tree := toyOperator()
		tree[file].Data = data
		c, err := Load(tree)
		if err != nil {
			if !strings.Contains(err.Error(), ".yaml: ") {
				t.Fatalf("the error names no file: %v", err)
			}
			return
		}
		if len(c.Backends) != 1 || len(c.Backends[0].Releases) == 0 {
			t.Fatalf("%d backends", len(c.Backends))
		}
	})
}

func FuzzBackend(f *testing.F) { fuzzFile(f, backendFile, "bundles/*/backend.yaml") }

func FuzzRelease(f *testing.F) { fuzzFile(f, releaseFile, "bundles/*/*/release.yaml") }

func FuzzComponent(f *testing.F) { fuzzFile(f, componentFile, "lab/*/*/component.yaml") }

func FuzzOperator(f *testing.F) {
	fuzzFile(f, operatorFile, "bundles/operators/*/operator.yaml")
}

func FuzzOperatorRelease(f *testing.F) {
	fuzzFile(f, operatorReleaseFile, "bundles/operators/*/*/release.yaml")
}
