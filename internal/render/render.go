// Package render hydrates a release's kustomization into the objects that are
// applied, byte-stable, with upstream's files resolved by their pins.
package render

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
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
		if !memory.Exists(fmt.Sprintf("/components/%d/kustomization.yaml", i)) {
			return nil, fmt.Errorf("render %s: component %s: no kustomization.yaml there", r, dir)
		}
	}
	file := path.Join("/", r.Path, "kustomization.yaml")
	if err := localize(ctx, memory, file, r, o); err != nil {
		return nil, fmt.Errorf("render %s: %w", r, err)
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
		if err != nil || d.IsDir() || path.Ext(name) != ".yaml" {
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

// localize replaces the kustomization's URLs by files of the same content, and adds
// the components.
func localize(ctx context.Context, memory filesys.FileSystem, file string, r *catalog.Release, o Options) error {
	data, err := memory.ReadFile(file)
	if err != nil {
		return err
	}
	var k types.Kustomization
	if err := k.Unmarshal(data); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for i, res := range k.Resources {
		if !strings.Contains(res, "://") {
			continue
		}
		at := slices.IndexFunc(r.Spec.Upstream, func(u catalog.Upstream) bool { return u.URL == res })
		if at < 0 {
			return fmt.Errorf("%s: resources[%d]: %s is not among spec.upstream of release.yaml", file, i, res)
		}
		text, err := o.From.Fetch(ctx, r.Spec.Upstream[at])
		if err != nil {
			return err
		}
		local := fmt.Sprintf("upstream-%d.yaml", at)
		if err := memory.WriteFile(path.Join(path.Dir(file), local), text); err != nil {
			return err
		}
		k.Resources[i] = local
	}
	up := strings.Repeat("../", strings.Count(path.Dir(file), "/"))
	for i := range o.Components {
		k.Components = append(k.Components, fmt.Sprintf("%scomponents/%d", up, i))
	}
	if data, err = yaml.Marshal(k); err != nil {
		return err
	}
	return memory.WriteFile(file, data)
}

// Objects decodes a stream of YAML documents.
func Objects(stream []byte) ([]*unstructured.Unstructured, error) {
	var all []*unstructured.Unstructured
	decoder := utilyaml.NewYAMLOrJSONDecoder(bytes.NewReader(stream), 4096)
	for {
		u := &unstructured.Unstructured{}
		err := decoder.Decode(&u.Object)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return nil, err
		}
		if len(u.Object) > 0 {
			all = append(all, u)
		}
	}
}
