package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/gangctl/gangctl/internal/catalog"
)

// Targets lists what is named, by backend or operator, with or without a version; all
// without names: every backend's release, and every operator's on its backends.
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
			full := c.Release.String()
			if c.Pair != nil {
				full = c.Pair.Operator.String()
			}
			short, _, _ := strings.Cut(full, "@")
			have = append(have, short, full)
			if name == full || name == short || name == c.String() {
				some = append(some, c)
			}
		}
		if len(some) == before {
			return nil, catalog.Unknown("backend or operator", name, have)
		}
	}
	return some, nil
}

// Digest is over the data that a run of all cases depends on.
func (t *Tree) Digest(c *Chosen) (string, error) {
	r := c.Release
	roots := []string{
		path.Join(path.Dir(r.Path), "backend.yaml"), r.Path, "conformance/cases", "conformance/manifests", "lab/stages.yaml",
		"lab/kubernetes/" + c.Kubernetes,
	}
	roots = append(roots, r.Backend.Shared...)
	if c.Pair != nil {
		o := c.Pair.Operator
		roots = append(roots, path.Join(path.Dir(o.Path), "operator.yaml"), o.Path)
	}
	sum := sha256.New()
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
