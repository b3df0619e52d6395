// Package render hydrates the kustomizations of releases into the objects that are
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
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/source"
)

// Layer is a kustomization of the tree.
type Layer struct {
	// Name is for errors, such as volcano@v1.14.1.
	Name string
	// Folder is its place in the tree.
	Folder string
	// Upstream are the remote files that it may refer to.
	Upstream []catalog.Upstream
	// Component says that it is a kustomize Component.
	Component bool
}

// Backend is a backend release's layer.
func Backend(r *catalog.Release) Layer {
	return Layer{Name: r.String(), Folder: r.Folder(), Upstream: r.Spec.Upstream}
}

// Rendered is what layers hydrate to.
type Rendered struct {
	// YAML is what `kubectl kustomize` of the same folder prints.
	YAML    []byte
	Objects []*unstructured.Unstructured
}

// Options say how layers are rendered.
type Options struct {
	// From resolves upstream's files.
	From source.Resolver
	// Components are folders on disk with kustomize Components to put on top.
	Components []string
}

// Render builds the kustomizations of layers as one. Remote files must be among the
// layers' upstream references.
func Render(ctx context.Context, tree fs.FS, layers []Layer, o Options) (*Rendered, error) {
	var names []string
	var upstream []catalog.Upstream
	for _, l := range layers {
		names, upstream = append(names, l.Name), append(upstream, l.Upstream...)
	}
	r := strings.Join(names, " with ")
	memory := filesys.MakeFsInMemory()
	for _, dir := range []string{"bundles", "rbac"} {
		if err := copyTree(memory, tree, dir, dir); err != nil {
			return nil, fmt.Errorf("render %s: %w", r, err)
		}
	}
	root := path.Join("/", layers[0].Folder)
	if len(layers) > 1 || layers[0].Component {
		var err error
		if root, err = together(memory, layers); err != nil {
			return nil, fmt.Errorf("render %s: %w", r, err)
		}
	}
	for i, dir := range o.Components {
		if err := copyTree(memory, os.DirFS(dir), ".", fmt.Sprintf("components/%d", i)); err != nil {
			return nil, fmt.Errorf("render %s: component %s: %w", r, dir, err)
		}
	}
	l := &localizer{memory: memory, upstream: upstream, from: o.From}
	if err := l.folder(ctx, root, len(o.Components)); err != nil {
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
	built, err := krusty.MakeKustomizer(opts).Run(memory, root)
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

// together makes one kustomization of several, and returns its folder.
func together(memory filesys.FileSystem, layers []Layer) (string, error) {
	const root = "/together"
	k := types.Kustomization{TypeMeta: types.TypeMeta{APIVersion: types.KustomizationVersion, Kind: types.KustomizationKind}}
	for _, l := range layers {
		at := path.Join("..", l.Folder)
		if l.Component {
			k.Components = append(k.Components, at)
		} else {
			k.Resources = append(k.Resources, at)
		}
	}
	text, err := yaml.Marshal(k)
	if err != nil {
		return "", err
	}
	return root, memory.WriteFile(root+"/kustomization.yaml", text)
}

// copyTree takes a folder along: bases and components may be beside a release. Build
// modules may be large, and no kustomization refers to one.
func copyTree(memory filesys.FileSystem, from fs.FS, dir, to string) error {
	if _, err := fs.Stat(from, dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return fs.WalkDir(from, dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "build" {
				return fs.SkipDir
			}
			return nil
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
