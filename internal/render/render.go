// Package render hydrates a release's kustomization into the objects that are
// applied, byte-stable, with upstream's files resolved by their pins.
package render

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/source"
)

// Rendered is a release, hydrated.
type Rendered struct {
	// YAML is what `kubectl kustomize` of the same folder prints.
	YAML    []byte
	Objects []*unstructured.Unstructured
}

// Options say how a release is rendered.
type Options struct {
	// From resolves upstream's files.
	From source.Resolver
	// Components are folders on disk with kustomize Components to put on top.
	Components []string
}

// Render builds the release's kustomization. Remote files must be among the
// release's upstream references.
func Render(ctx context.Context, tree fs.FS, r *catalog.Release, o Options) (*Rendered, error) {
	memory := filesys.MakeFsInMemory()
	for _, dir := range []string{path.Dir(r.Path), "rbac"} {
		if err := copyTree(memory, tree, dir, dir); err != nil {
			return nil, fmt.Errorf("render %s: %w", r, err)
		}
	}
	for i, dir := range o.Components {
		if err := copyTree(memory, os.DirFS(dir), ".", fmt.Sprintf("components/%d", i)); err != nil {
			return nil, fmt.Errorf("render %s: component %s: %w", r, dir, err)
		}
	}
	l := &localizer{memory: memory, release: r, from: o.From}
	if err := l.folder(ctx, path.Join("/", r.Path), len(o.Components)); err != nil {
		return nil, fmt.Errorf("render %s: %w", r, err)
	}
	for i, dir := range o.Components {
		if err := l.folder(ctx, fmt.Sprintf("/components/%d", i), 0); err != nil {
			return nil, fmt.Errorf("render %s: component %s: %w", r, dir, err)
		}
	}
	// Like `kubectl kustomize`: namespaces and CRDs first, webhooks last.
	opts := krusty.MakeDefaultOptions()
	opts.Reorder = krusty.ReorderOptionUnspecified
	built, err := krusty.MakeKustomizer(opts).Run(memory, path.Join("/", r.Path))
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", r, err)
	}
	out := &Rendered{}
	if out.YAML, err = built.AsYaml(); err != nil {
		return nil, fmt.Errorf("render %s: %w", r, err)
	}
	if out.Objects, err = Objects(out.YAML); err != nil {
		return nil, fmt.Errorf("render %s: %w", r, err)
	}
	return out, nil
}

// copyTree takes the YAML of a folder along: bases and components may be beside
// the release.
func copyTree(memory filesys.FileSystem, from fs.FS, dir, to string) error {
	if _, err := fs.Stat(from, dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fs.WalkDir(from, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		below := strings.TrimPrefix(strings.TrimPrefix(name, dir), "/")
		return memory.WriteFile(path.Join("/", to, below), data)
	})
}

// Objects decodes a stream of YAML documents.
func Objects(stream []byte) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(stream), 4096)
	for {
		var text json.RawMessage
		err := decoder.Decode(&text)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if len(text) == 0 || string(text) == "null" {
			continue
		}
		// Whole numbers stay whole this way.
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(text); err != nil {
			return nil, err
		}
		all = append(all, u)
	}
}
