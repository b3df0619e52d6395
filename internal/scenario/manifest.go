package scenario

import (
	"fmt"
	"io/fs"
	"path"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// Manifest is a job that a user wrote, such as one from a guide, or the pods of a gang
// and the group object that they name.
type Manifest struct {
	File string
	// Gang is the name that the pods' gang has in it.
	Gang   string
	object unstructured.Unstructured
	pods   []*unstructured.Unstructured
	group  *unstructured.Unstructured
}

// JobManifest is one whose job was read from a file.
func JobManifest(file string, job *unstructured.Unstructured) *Manifest {
	return &Manifest{File: file, object: *job}
}

// PodManifest is one whose pods were read from a file, and their group object; nil is none.
// The pods stand in the order of the gang's roles.
func PodManifest(file, gang string, pods []*unstructured.Unstructured, group *unstructured.Unstructured) *Manifest {
	return &Manifest{File: file, Gang: gang, pods: pods, group: group}
}

// Is says whether the manifest is of a kind.
func (m *Manifest) Is(apiVersion, kind string) bool {
	return m.object.GetAPIVersion() == apiVersion && m.object.GetKind() == kind
}

// Kind is the manifest's own.
func (m *Manifest) Kind() string { return m.object.GetKind() }

// Object is a copy of the job.
func (m *Manifest) Object() *unstructured.Unstructured { return m.object.DeepCopy() }

// Pods are copies of the pods; none where the manifest is a job.
func (m *Manifest) Pods() []*unstructured.Unstructured {
	var all []*unstructured.Unstructured
	if m != nil {
		for _, p := range m.pods {
			all = append(all, p.DeepCopy())
		}
	}
	return all
}

// Group is a copy of the pods' group object, or nil.
func (m *Manifest) Group() *unstructured.Unstructured {
	if m == nil || m.group == nil {
		return nil
	}
	return m.group.DeepCopy()
}

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
