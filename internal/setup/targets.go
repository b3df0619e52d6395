package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/scenario"
)

// Targets lists what is named, by backend or operator, with or without a version, an
// operator's kind, or all of a row's name; without names, every backend's release and
// every operator's on its backends.
func (t *Tree) Targets(only []string) ([]*Chosen, error) {
	var all []*Chosen
	for _, b := range t.Catalog.Backends {
		for _, r := range b.Releases {
			all = append(all, &Chosen{Release: r, Kubernetes: r.Spec.Kubernetes.Lab})
		}
	}
	pairs, err := t.Catalog.Pairs()
	if err != nil {
		return nil, err
	}
	for _, p := range pairs {
		all = append(all, &Chosen{Release: p.Backend, Pair: p, Kubernetes: p.Kubernetes})
	}
	if len(only) == 0 {
		return all, nil
	}
	var some []*Chosen
	for _, name := range only {
		var have []string
		before := len(some)
		for _, c := range all {
			names := []string{c.Release.String(), c.String()}
			if c.Pair != nil {
				names = []string{c.Pair.Operator.String(), c.Pair.String(), c.String()}
			}
			short, _, _ := strings.Cut(names[0], "@")
			have = append(have, short, names[0])
			if name == short || slices.Contains(names, name) {
				some = append(some, c)
			}
		}
		if len(some) == before {
			return nil, catalog.Unknown("backend or operator", name, have)
		}
	}
	return some, nil
}

// RowProfiles are those that a backend alone is held to, or an operator on one.
func (t *Tree) RowProfiles(c *Chosen) []string {
	var all []string
	for _, p := range t.Profiles {
		held := slices.Contains(p.Rows, scenario.RowsBackends)
		if c.Pair != nil {
			held = slices.Contains(p.Rows, scenario.RowsOperators) && (len(p.Kinds) == 0 || slices.Contains(p.Kinds, c.Pair.Job.Kind))
		}
		if held {
			all = append(all, p.Name)
		}
	}
	return all
}

// Digest is over the data that a row of the matrix depends on.
func (t *Tree) Digest(c *Chosen) (string, error) {
	r := c.Release
	roots := []string{
		path.Join(path.Dir(r.Path), "backend.yaml"), r.Path, catalog.KeptCRDs, "lab/stages.yaml", "lab/kubernetes/" + c.Kubernetes,
	}
	roots = append(roots, r.Backend.Shared...)
	names := []string{r.Backend.Metadata.Name}
	if c.Pair != nil {
		o := c.Pair.Operator
		roots = append(roots, path.Join(path.Dir(o.Path), "operator.yaml"), o.Path)
		names = append(names, o.Operator.Metadata.Name)
	}
	for _, n := range names {
		roles, err := fs.Glob(t, "rbac/"+n+"-*")
		if err != nil {
			return "", err
		}
		roots = append(roots, roles...)
	}
	sum := sha256.New()
	cases, err := t.Choose(t.RowProfiles(c), nil)
	if err != nil {
		return "", err
	}
	if err := json.NewEncoder(sum).Encode(cases); err != nil {
		return "", err
	}
	for _, s := range cases {
		for _, sub := range scenario.Submits(s.Spec.Steps) {
			if sub.Manifest != nil {
				roots = append(roots, sub.Manifest.File)
			}
		}
	}
	for _, root := range roots {
		err := fs.WalkDir(t, root, func(name string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) && name == root {
				return nil
			}
			if err != nil || d.IsDir() {
				return err
			}
			data, err := fs.ReadFile(t, name)
			fmt.Fprintf(sum, "%s %d\n%s", name, len(data), data)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return hex.EncodeToString(sum.Sum(nil))[:12], nil
}
