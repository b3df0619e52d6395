package scenario

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

// Manifest is a job that a user wrote, such as one from a guide, or the pods of a gang
// and the group object that they name.
type Manifest struct {
	File string
	// Gang is the name that the pods' gang has in it.
	Gang   string
	object unstructured.Unstructured
	// runtime is what the job names, where that is in the file, too.
	runtime *unstructured.Unstructured
	pods    []*unstructured.Unstructured
	group   *unstructured.Unstructured
}

// JobManifest is one whose job was read from a file, with the runtime that it names, or
// nil.
func JobManifest(file string, job, runtime *unstructured.Unstructured) *Manifest {
	return &Manifest{File: file, object: *job, runtime: runtime}
}

// OwnJobManifest is one whose job is the backend's own. The pods are for a control, where
// nobody makes any of it; they stand in the order of the gang's roles.
func OwnJobManifest(file string, job *unstructured.Unstructured, pods []*unstructured.Unstructured) *Manifest {
	return &Manifest{File: file, Gang: job.GetName(), object: *job, pods: pods}
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

// Runtime is a copy of the object that the job names, or nil where the file has the job
// alone.
func (m *Manifest) Runtime() *unstructured.Unstructured {
	if m.runtime == nil {
		return nil
	}
	return m.runtime.DeepCopy()
}

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
		if err := m.read(data); err != nil {
			return fmt.Errorf("%s: %w", m.File, err)
		}
		if m.object.GetName() != sub.Gang || sub.Copies > 0 {
			return fmt.Errorf("%s: metadata.name: %q must be the gang's, %q, and there are no copies of a manifest", m.File, m.object.GetName(), sub.Gang)
		}
		sub.Manifest = m
	}
	return nil
}

// read takes the file's one object for the job, or its two for a runtime and the job.
func (m *Manifest) read(data []byte) error {
	var all []unstructured.Unstructured
	documents := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		text, err := yaml.YAMLToJSON(document)
		if err != nil {
			return err
		}
		var u unstructured.Unstructured
		if err := u.UnmarshalJSON(text); err != nil {
			return err
		}
		all = append(all, u)
	}
	switch len(all) {
	case 1:
		m.object = all[0]
	case 2:
		m.runtime, m.object = &all[0], all[1]
		if m.runtime.GetName() != m.object.GetName() {
			return fmt.Errorf("metadata.name: the %s %q must have the name of the %s, %q", m.runtime.GetKind(), m.runtime.GetName(), m.object.GetKind(), m.object.GetName())
		}
	default:
		return fmt.Errorf("has %d objects, and must have a job, or a runtime and a job", len(all))
	}
	return nil
}
