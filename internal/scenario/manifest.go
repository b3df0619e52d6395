package scenario

import (
	"fmt"
	"io/fs"
	"path"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Manifest is a job that a user wrote, such as one from a guide.
type Manifest struct {
	File   string
	object unstructured.Unstructured
}

// Is says whether the manifest is of a kind.
func (m *Manifest) Is(apiVersion, kind string) bool {
	return m.object.GetAPIVersion() == apiVersion && m.object.GetKind() == kind
}

// Kind is the manifest's own.
func (m *Manifest) Kind() string { return m.object.GetKind() }

// Object is a copy of the manifest.
func (m *Manifest) Object() *unstructured.Unstructured { return m.object.DeepCopy() }

// loadManifests reads the manifests that a case names.
func (s *Scenario) loadManifests(tree fs.FS, dir string) error {
	for _, sub := range Submits(s.Spec.Steps) {
		if sub.ManifestFile == "" {
			continue
		}
		m := &Manifest{File: path.Join(dir, sub.ManifestFile)}
		data, err := fs.ReadFile(tree, m.File)
		if err != nil {
			return fmt.Errorf("%s: submit.manifest: %w", s.Metadata.Name, err)
		}
		text, err := yaml.YAMLToJSON(data)
		if err != nil {
			return fmt.Errorf("%s: %w", m.File, err)
		}
		if err := m.object.UnmarshalJSON(text); err != nil {
			return fmt.Errorf("%s: %w", m.File, err)
		}
		if m.object.GetName() != sub.Gang || sub.Copies > 0 {
			return fmt.Errorf("%s: metadata.name: %q must be the gang's, %q, and there are no copies of a manifest", m.File, m.object.GetName(), sub.Gang)
		}
		sub.Manifest = m
	}
	return nil
}
