package render

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kustomize/api/konfig"
	"sigs.k8s.io/kustomize/api/types"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/source"
)

// localizer replaces the pinned URLs of kustomizations by files of the same
// content, and refuses all else that kustomize would fetch by itself, unpinned.
type localizer struct {
	memory   filesys.FileSystem
	upstream []catalog.Upstream
	from     source.Resolver
	seen     []string
}

// folder localizes a kustomization and those that it refers to, and puts the first
// n of the components on top.
func (l *localizer) folder(ctx context.Context, dir string, n int) error {
	if slices.Contains(l.seen, dir) {
		return nil
	}
	l.seen = append(l.seen, dir)
	at := slices.IndexFunc(konfig.RecognizedKustomizationFileNames(), func(name string) bool {
		return l.memory.Exists(path.Join(dir, name))
	})
	if at < 0 {
		return fmt.Errorf("%s: there is no kustomization.yaml", dir)
	}
	file := path.Join(dir, konfig.RecognizedKustomizationFileNames()[at])
	data, err := l.memory.ReadFile(file)
	if err != nil {
		return err
	}
	var k types.Kustomization
	if err := k.Unmarshal(data); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for i, res := range k.Resources {
		if k.Resources[i], err = l.resource(ctx, dir, res); err != nil {
			return fmt.Errorf("%s: resources[%d]: %w", file, i, err)
		}
	}
	for field, entries := range l.references(&k) {
		for i, entry := range entries {
			if err := l.local(ctx, dir, entry); err != nil {
				return fmt.Errorf("%s: %s[%d]: %w", file, field, i, err)
			}
		}
	}
	for i := range n {
		up := strings.Repeat("../", strings.Count(dir, "/"))
		k.Components = append(k.Components, fmt.Sprintf("%scomponents/%d", up, i))
	}
	if data, err = yaml.Marshal(k); err != nil {
		return err
	}
	return l.memory.WriteFile(file, data)
}

// references are the other fields of a kustomization that kustomize loads from.
func (l *localizer) references(k *types.Kustomization) map[string][]string {
	refs := map[string][]string{
		"components": k.Components, "crds": k.Crds, "configurations": k.Configurations,
		"generators": k.Generators, "transformers": k.Transformers, "validators": k.Validators,
	}
	for _, p := range k.Patches {
		refs["patches"] = append(refs["patches"], p.Path)
	}
	for _, r := range k.Replacements {
		refs["replacements"] = append(refs["replacements"], r.Path)
	}
	refs["openapi"] = []string{k.OpenAPI["path"]}
	return refs
}

// resource returns what the kustomization must say in place of a resource.
func (l *localizer) resource(ctx context.Context, dir, res string) (string, error) {
	at := slices.IndexFunc(l.upstream, func(u catalog.Upstream) bool { return u.URL == res })
	if at < 0 {
		return res, l.local(ctx, dir, res)
	}
	text, err := l.from.Fetch(ctx, l.upstream[at])
	if err != nil {
		return "", err
	}
	name := fmt.Sprintf("upstream-%d.yaml", at)
	return name, l.memory.WriteFile(path.Join(dir, name), text)
}

// local checks that a reference is to a file or folder of the tree.
func (l *localizer) local(ctx context.Context, dir, ref string) error {
	if ref == "" || strings.Contains(ref, "\n") {
		return nil // not set, or written in place
	}
	target := path.Join(dir, ref)
	switch {
	case l.memory.IsDir(target):
		return l.folder(ctx, target, 0)
	case l.memory.Exists(target):
		return nil
	}
	return fmt.Errorf("%s is neither in the tree nor among spec.upstream of release.yaml", ref)
}
