package setup

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"

	"github.com/gangctl/gangctl/internal/render"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/suite"
)

// others makes ready what cases may install in the release's place, where they ask for it.
func (t *Target) others(ctx context.Context, tr *Tree, c *Chosen, s *suite.Suite, p Progress) error {
	if c.Pair != nil {
		// An operator's bundle is made for one release, and asks more than gang scheduling of it.
		return nil
	}
	if slices.Contains(t.Needs, scenario.NeedNoGangs) {
		if err := t.noGangs(ctx, tr, c, s); err != nil {
			return err
		}
	}
	if !slices.Contains(t.Needs, scenario.NeedPrevious) {
		return nil
	}
	before := c.Release.Previous(c.Kubernetes)
	if before == nil {
		return nil
	}
	with := *t
	with.Components = nil
	old := &Chosen{Release: before, Kubernetes: c.Kubernetes}
	on, _, err := with.Render(ctx, tr, old)
	if err != nil {
		return err
	}
	mods, err := modules(tr.Catalog, old)
	if err != nil {
		return err
	}
	binaries, err := ensure(ctx, tr, mods, "", p)
	if err != nil {
		return err
	}
	s.Previous = &suite.Previous{Release: before, Objects: on.Objects, Binaries: binaries}
	return nil
}

// noGangs renders the release without gang scheduling: with the component of the mutant
// that takes it out, if that is one.
func (t *Target) noGangs(ctx context.Context, tr *Tree, c *Chosen, s *suite.Suite) error {
	folder := "conformance/mutants/" + c.Release.Backend.Metadata.Name + "-no-gang"
	if _, err := fs.Stat(tr, folder+"/kustomization.yaml"); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	part, err := fs.Sub(tr, folder)
	if err != nil {
		return err
	}
	// kustomize reads folders on disk, and the tree may be what is built in.
	dir, err := os.MkdirTemp("", "gangctl-no-gang-")
	if err != nil {
		return Unready{err}
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, part); err != nil {
		return Unready{err}
	}
	with := *t
	with.Components = append(slices.Clone(t.Components), dir)
	var on *render.Rendered
	if on, _, err = with.Render(ctx, tr, c); err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	s.NoGangs = on.Objects
	return nil
}
