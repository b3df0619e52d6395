package setup

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"github.com/gangctl/gangctl/internal/access"
	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/render"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/source"
	"github.com/gangctl/gangctl/internal/suite"
	"github.com/gangctl/gangctl/internal/toolchain"
)

// Target is the backend and the Kubernetes that were asked for.
type Target struct {
	// Backend is a name, or name@version.
	Backend string
	// Operator is operator[@version][/Kind]; "" submits pods and groups.
	Operator string
	// Kubernetes is the lab's version; "" is what the release was tested on.
	Kubernetes string
	// Components are folders with kustomize Components to put on top of the bundle.
	Components []string
	// Online takes upstream's files from their URLs.
	Online bool
	// BinDir holds binaries that are taken before any is built.
	BinDir string
	// Needs are those of the cases that are to run: what only some ask for costs a build.
	Needs []scenario.Need
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

// Chosen is what a target comes to in the catalog.
type Chosen struct {
	Release *catalog.Release
	// Pair is nil without an operator.
	Pair *catalog.Pair
	// Kubernetes is the version that the lab runs.
	Kubernetes string
}

// String is the backend's release, and the operator's on it.
func (c *Chosen) String() string {
	if c.Pair != nil {
		return c.Pair.String() + " on " + c.Release.String()
	}
	return c.Release.String()
}

// verifier are the roles that the suite runs under: those for the operator, if there is
// one, and for the backends that are named.
func (c *Chosen) verifier(ctx context.Context, tr *Tree, backends ...string) (*render.Rendered, error) {
	names := backends
	if c.Pair != nil {
		names = append(names, c.Pair.Operator.Operator.Metadata.Name)
	}
	return render.Verifier(ctx, tr, names...)
}

// Grants lists what the bundle's roles give, and the verifier's own.
func (t *Target) Grants(ctx context.Context, tr *Tree, c *Chosen) ([]access.Grant, error) {
	on, _, err := t.Render(ctx, tr, c)
	if err != nil {
		return nil, err
	}
	verifier, err := c.verifier(ctx, tr, c.Release.Backend.Metadata.Name)
	if err != nil {
		return nil, err
	}
	return access.Grants(slices.Concat(on.Objects, verifier.Objects))
}

// Choose finds what was asked for, and checks that it runs on the Kubernetes version.
func (t *Target) Choose(tr *Tree) (*Chosen, error) {
	r, err := tr.Catalog.Release(t.Backend)
	if err != nil {
		return nil, err
	}
	c, supports := &Chosen{Release: r, Kubernetes: r.Spec.Kubernetes.Lab}, r.Supports
	if t.Operator != "" {
		if c.Pair, err = tr.Catalog.Pair(t.Operator, r); err != nil {
			return nil, err
		}
		c.Kubernetes, supports = c.Pair.Kubernetes, c.Pair.Supports
	}
	if t.Kubernetes != "" {
		c.Kubernetes = "v" + strings.TrimPrefix(t.Kubernetes, "v")
	}
	return c, supports(c.Kubernetes)
}

// Render hydrates the bundle, with the operator's; off is the operator's alone, with
// gang scheduling off.
func (t *Target) Render(ctx context.Context, tr *Tree, c *Chosen) (on, off *render.Rendered, err error) {
	o := render.Options{From: source.Resolver{Online: t.Online}, Components: t.Components}
	if c.Pair != nil {
		return render.Pair(ctx, tr, c.Pair, o)
	}
	on, err = render.Release(ctx, tr, c.Release, o)
	return on, &render.Rendered{}, err
}

// Suite renders the bundle, and finds or builds the binaries.
func (t *Target) Suite(ctx context.Context, tr *Tree, p Progress) (*suite.Suite, error) {
	c, err := t.Choose(tr)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(t.BinDir); t.BinDir != "" && err != nil {
		return nil, fmt.Errorf("--bin-dir: %w", err)
	}
	// The bundle first: bad input must not cost a build.
	on, off, err := t.Render(ctx, tr, c)
	if errors.Is(err, source.ErrUnavailable) {
		return nil, Unready{err}
	}
	if err != nil {
		return nil, err
	}
	s := &suite.Suite{Release: c.Release, Pair: c.Pair, Kubernetes: c.Kubernetes, Objects: on.Objects, Off: off.Objects}
	verifier, err := c.verifier(ctx, tr, c.Release.Backend.Metadata.Name)
	if err != nil {
		return nil, err
	}
	verifierOff, err := c.verifier(ctx, tr)
	if err != nil {
		return nil, err
	}
	s.Verifier, s.VerifierOff = verifier.Objects, verifierOff.Objects
	k, err := tr.Catalog.Component("kubernetes", c.Kubernetes)
	if err != nil {
		return nil, err
	}
	s.Flags = k.Spec.Flags
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
	mods, err := modules(tr.Catalog, c)
	if err != nil {
		return nil, err
	}
	if s.Binaries, err = ensure(ctx, tr, mods, t.BinDir, p); err != nil {
		return s, err
	}
	return s, t.others(ctx, tr, c, s, p)
}

// Prefetch builds whatever a lab with one of the targets needs and is not in the cache,
// and calls begin before each, with its index in the order in which they are built. What
// does not build is given to failed, and keeps nothing else from it: only an interrupt is
// an error.
func Prefetch(ctx context.Context, tr *Tree, targets []*Chosen, p Progress, begin func(int, *Chosen), failed func(*Chosen, error)) error {
	tools, err := toolsOf(tr, "", p)
	if err != nil {
		return err
	}
	tools.Keep = true
	// Releases for one Kubernetes have much in common, and with the next one's some.
	targets = slices.Clone(targets)
	slices.SortStableFunc(targets, func(x, y *Chosen) int { return catalog.CompareVersions(x.Kubernetes, y.Kubernetes) })
	for i, t := range targets {
		begin(i, t)
		mods, err := modules(tr.Catalog, t)
		if err == nil {
			_, err = tools.Ensure(ctx, mods)
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err != nil {
			failed(t, fmt.Errorf("%s: %w", t, Unready{err}))
		}
	}
	tools.DropBuildCache()
	return nil
}

// ensure finds or builds the modules' binaries.
func ensure(ctx context.Context, tr *Tree, mods []catalog.Module, binDir string, p Progress) (map[string]string, error) {
	tools, err := toolsOf(tr, binDir, p)
	if err != nil {
		return nil, err
	}
	found, err := tools.Ensure(ctx, mods)
	if err != nil {
		return nil, Unready{err}
	}
	return found, nil
}

func toolsOf(tr *Tree, binDir string, p Progress) (*toolchain.Toolchain, error) {
	cache, err := toolchain.DefaultCacheDir()
	if err != nil {
		return nil, Unready{err}
	}
	return &toolchain.Toolchain{Root: tr.Root, CacheDir: cache, BinDir: binDir, Stderr: p, Terminal: p.Terminal}, nil
}

// modules are what a lab with the chosen is built from.
func modules(c *catalog.Catalog, x *Chosen) ([]catalog.Module, error) {
	k, err := c.Component("kubernetes", x.Kubernetes)
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
	all = append(all, x.Release.Modules()...)
	if x.Pair != nil {
		all = append(all, x.Pair.Operator.Modules()...)
	}
	return all, nil
}
