package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/render"
	"github.com/gangctl/gangctl/internal/source"
	"github.com/gangctl/gangctl/internal/suite"
	"github.com/gangctl/gangctl/internal/toolchain"
)

// Target is the backend and the Kubernetes that were asked for.
type Target struct {
	// Backend is a name, or name@version.
	Backend string
	// Kubernetes is the lab's version; "" is what the release was tested on.
	Kubernetes string
	// Components are folders with kustomize Components to put on top of the bundle.
	Components []string
	// Online takes upstream's files from their URLs.
	Online bool
	// BinDir holds binaries that are taken before any is built.
	BinDir string
}

// Progress is where the story of long work goes.
type Progress struct {
	io.Writer
	Terminal bool
}

// Unready says that something around us, not what was asked for, is in the way:
// no compiler, no disk, a build that fails.
type Unready struct{ error }

func (u Unready) Unwrap() error { return u.error }

// Release finds the release and checks that it runs on the Kubernetes version.
func (t *Target) Release(tr *Tree) (r *catalog.Release, kubernetes string, err error) {
	if r, err = tr.Catalog.Release(t.Backend); err != nil {
		return nil, "", err
	}
	version := t.Kubernetes
	switch {
	case version == "":
		version = r.Spec.Kubernetes.Lab
	case version[0] != 'v':
		version = "v" + version
	}
	if err := r.Supports(version); err != nil {
		return nil, "", err
	}
	return r, version, nil
}

// Render hydrates the release's bundle.
func (t *Target) Render(ctx context.Context, tr *Tree, r *catalog.Release) (*render.Rendered, error) {
	return render.Render(ctx, tr, r, render.Options{From: source.Resolver{Online: t.Online}, Components: t.Components})
}

// Suite renders the bundle, and finds or builds the binaries.
func (t *Target) Suite(ctx context.Context, tr *Tree, p Progress) (*suite.Suite, error) {
	r, version, err := t.Release(tr)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(t.BinDir); t.BinDir != "" && err != nil {
		return nil, fmt.Errorf("--bin-dir: %w", err)
	}
	// The bundle first: bad input must not cost a build.
	rendered, err := t.Render(ctx, tr, r)
	if errors.Is(err, source.ErrUnavailable) {
		return nil, Unready{err}
	}
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
	mods, err := modules(tr.Catalog, r, version)
	if err != nil {
		return nil, err
	}
	cache, err := toolchain.DefaultCacheDir()
	if err != nil {
		return nil, Unready{err}
	}
	tools := &toolchain.Toolchain{Root: tr.Root, CacheDir: cache, BinDir: t.BinDir, Stderr: p, Terminal: p.Terminal}
	if s.Binaries, err = tools.Ensure(ctx, mods); err != nil {
		return nil, Unready{err}
	}
	return s, nil
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
