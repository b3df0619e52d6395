package cli

import (
	"context"
	"fmt"
	"io/fs"

	"github.com/spf13/cobra"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/render"
	"github.com/gangctl/gangctl/internal/source"
	"github.com/gangctl/gangctl/internal/suite"
	"github.com/gangctl/gangctl/internal/toolchain"
)

// target is the backend and the Kubernetes that a command works on, as flags.
type target struct {
	backend    string
	kubernetes string
	components []string
	online     bool
	binDir     string
}

func (t *target) flags(c *cobra.Command) {
	f := c.Flags()
	f.StringVar(&t.backend, "backend", "volcano", "the backend: name, or name@version; the newest version by default")
	f.StringVar(&t.kubernetes, "kubernetes", "", "the lab's Kubernetes version; what the release was tested on by default")
	f.StringVar(&t.binDir, "bin-dir", "", "a folder whose binaries are taken before any is built")
	t.renderFlags(c)
}

func (t *target) renderFlags(c *cobra.Command) {
	f := c.Flags()
	f.StringSliceVar(&t.components, "component", nil, "a folder with a kustomize Component to put on top of the bundle; may be repeated")
	f.BoolVar(&t.online, "online", false, "take upstream's files from their URLs, not from the Go module of the same tag")
}

// release finds the release and checks that it runs on the Kubernetes version.
func (t *target) release(tr *tree) (*catalog.Release, string, error) {
	r, err := tr.catalog.Release(t.backend)
	if err != nil {
		return nil, "", err
	}
	version := t.kubernetes
	if version == "" {
		version = r.Spec.Kubernetes.Lab
	}
	if version[0] != 'v' {
		version = "v" + version
	}
	if err := r.Supports(version); err != nil {
		return nil, "", err
	}
	return r, version, nil
}

func (t *target) render(ctx context.Context, tr *tree, r *catalog.Release) (*render.Rendered, error) {
	return render.Render(ctx, tr, r, render.Options{From: source.Resolver{Online: t.online}, Components: t.components})
}

// prepare finds or builds the binaries and renders the bundle.
func (a *app) prepare(ctx context.Context, t *target, tr *tree) (*suite.Suite, error) {
	r, version, err := t.release(tr)
	if err != nil {
		return nil, err
	}
	// The bundle first: bad input must not cost a build.
	rendered, err := t.render(ctx, tr, r)
	if err != nil {
		return nil, err
	}
	s := &suite.Suite{Release: r, Kubernetes: version, Objects: rendered.Objects, Patience: 1}
	stubs, err := fs.ReadFile(tr, "lab/cert-manager.yaml")
	if err != nil {
		return nil, err
	}
	if s.CertManager, err = render.Objects(stubs); err != nil {
		return nil, fmt.Errorf("lab/cert-manager.yaml: %w", err)
	}
	if s.Stages, err = fs.ReadFile(tr, "lab/stages.yaml"); err != nil {
		return nil, err
	}
	mods, err := modules(tr.catalog, r, version)
	if err != nil {
		return nil, err
	}
	s.Binaries, err = a.ensure(ctx, t, tr, mods)
	return s, err
}

// ensure finds or builds the modules' binaries.
func (a *app) ensure(ctx context.Context, t *target, tr *tree, mods []catalog.Module) (map[string]string, error) {
	dir, err := toolchain.DefaultCacheDir()
	if err != nil {
		return nil, err
	}
	tools := &toolchain.Toolchain{Root: tr.root, CacheDir: dir, BinDir: t.binDir, Stderr: a.Err, Terminal: isTerminal(a.Err)}
	found, err := tools.Ensure(ctx, mods)
	return found, broken(err)
}

// modules are what a lab with the release is built from.
func modules(c *catalog.Catalog, r *catalog.Release, kubernetes string) ([]catalog.Module, error) {
	k, err := c.Component("kubernetes", kubernetes)
	if err != nil {
		return nil, err
	}
	etcd, err := c.Newest("etcd")
	if err != nil {
		return nil, err
	}
	kwok, err := c.Newest("kwok")
	if err != nil {
		return nil, err
	}
	all := []catalog.Module{etcd.Module(), k.Module(), kwok.Module()}
	if m, ok := r.Module(); ok {
		all = append(all, m)
	}
	return all, nil
}
