package catalog

import (
	"io/fs"
	"os"
	"path"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// Overlays of operators take the scheduler's name from bundles/<backend>/scheduler-name,
// or from scheduler-name-<variant>: what stands there must be what the backend serves.
func TestSchedulerNames(t *testing.T) {
	tree := os.DirFS("../..")
	c, err := Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	// By folder: scheduler-name-default is for variants that serve default-scheduler.
	want := map[string]string{}
	for _, b := range c.Backends {
		for _, r := range b.Releases {
			dir := path.Join("bundles", b.Metadata.Name, "scheduler-name")
			if r.SchedulerName() != b.Spec.SchedulerName {
				dir += "-" + strings.TrimSuffix(r.SchedulerName(), "-scheduler")
			}
			want[dir] = r.SchedulerName()
		}
	}
	found, err := fs.Glob(tree, "bundles/*/scheduler-name*")
	if err != nil || len(found) == 0 {
		t.Fatalf("there are no folders bundles/*/scheduler-name: %v", err)
	}
	for _, dir := range found {
		file := path.Join(dir, "name.yaml")
		text, err := fs.ReadFile(tree, file)
		if err != nil {
			t.Error(err)
			continue
		}
		var m struct {
			Metadata struct {
				Name        string            `json:"name"`
				Annotations map[string]string `json:"annotations"`
			} `json:"metadata"`
			Data map[string]string `json:"data"`
		}
		if err := yaml.Unmarshal(text, &m); err != nil {
			t.Errorf("%s: %v", file, err)
			continue
		}
		if got := m.Data["schedulerName"]; got != want[dir] || got == "" {
			t.Errorf("%s: data.schedulerName is %q, and the backend serves %q", file, got, want[dir])
		}
		if m.Metadata.Name != "gangctl-scheduler-name" || m.Metadata.Annotations["config.kubernetes.io/local-config"] != "true" {
			t.Errorf("%s: it must be gangctl-scheduler-name, annotated so that it is never applied", file)
		}
	}
}
