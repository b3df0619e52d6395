package scenario

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

// Whatever a case's file holds, there is a case or an error that names the file, and a
// case survives being written down.
func FuzzDecode(f *testing.F) {
	for _, glob := range []string{"testdata/*.yaml", "../../conformance/cases/*.yaml"} {
		files, err := filepath.Glob(glob)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	// These took seconds once, or all memory.
	f.Add([]byte("spec: {steps: " + strings.Repeat("[{repeat: {steps: ", 1000) + "[{wait: 1}]" + strings.Repeat("}}]", 1000) + "}"))
	const head = "apiVersion: gangctl.dev/v1alpha1\nkind: Scenario\nmetadata: {name: case}\n" +
		"spec:\n  description: d\n  profile: p\n  feature: f\n  control: {scheduler: stopped}\n  steps:\n"
	f.Add([]byte(head + "  - submit: {gang: a, copies: 1000000000, roles: [{name: w, count: 1}]}\n  - expect: {gang: a-1, bound: all, within: 1s}\n"))
	f.Add([]byte(head + "  - submit: {gang: a, copies: 5000, roles: [{name: w, count: 1}]}\n" + strings.Repeat("  - expect: {gang: a-*, bound: all, within: 1s}\n", 1000)))
	f.Add([]byte(head + "  - submit: {gang: a, copies: 5000, roles: [{name: w, count: 1}]}\n  - expect: {gang: '" + strings.Repeat("*a", 5000) + "', bound: all, within: 1s}\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Decode("dir/case.yaml", data)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "dir/case.yaml: ") {
				t.Fatalf("the error does not name the file: %v", err)
			}
			return
		}
		text, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(text, &Scenario{}); err != nil {
			t.Fatalf("written as %s: %v", text, err)
		}
	})
}

// Whatever the profiles' file holds, there are profiles or an error that names the file.
func FuzzProfiles(f *testing.F) {
	data, err := os.ReadFile("../../conformance/profiles.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, data []byte) {
		tree := fstest.MapFS{"dir/profiles.yaml": {Data: data}}
		c := &Scenario{Spec: Spec{Profile: "core"}}
		if _, err := LoadProfiles(tree, "dir/profiles.yaml", []*Scenario{c}); err != nil && !strings.Contains(err.Error(), "dir/profiles.yaml") {
			t.Fatalf("the error does not name the file: %v", err)
		}
	})
}
