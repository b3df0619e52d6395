// Package toolchain turns the catalog's build modules into binaries, and keeps
// them by content in gangctl's cache folder.
package toolchain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gangctl/gangctl/internal/catalog"
)

const (
	envCache      = "GANGCTL_CACHE"
	envBuildCache = "GANGCTL_BUILD_CACHE"
	envAssets     = "KUBEBUILDER_ASSETS"
)

// keepBytes is how large a build cache may be to be kept. A Kubernetes takes 5 GB
// while it is built, and everything together is to take 15.
const keepBytes = 4 << 30

// Toolchain finds or builds the lab's and the backends' binaries.
type Toolchain struct {
	// Root is the catalog's tree on disk; "" when the catalog is only embedded:
	// then nothing can be built, only found.
	Root string
	// CacheDir is gangctl's cache folder.
	CacheDir string
	// BinDir is --bin-dir: binaries found here are taken first. May be "".
	BinDir string
	// Stderr is where progress goes; nil discards it.
	Stderr io.Writer
	// Terminal says that Stderr is a terminal: one line is redrawn there.
	Terminal bool
	// Keep leaves the build cache to the next Ensure, for what both compile, unless it
	// has grown large. DropBuildCache is then the caller's to call.
	Keep bool

	// freeMiB replaces the file system's answer in tests.
	freeMiB func(dir string) (int, error)
}

// lookup is a module with the binaries of it that are still to be found.
type lookup struct {
	catalog.Module
	print   fingerprint
	missing []string
}

// DefaultCacheDir is $GANGCTL_CACHE, or gangctl's folder in the user's cache.
func DefaultCacheDir() (string, error) {
	if dir := os.Getenv(envCache); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("no folder to cache in: %w: set %s", err, envCache)
	}
	return filepath.Join(dir, "gangctl"), nil
}

// Ensure returns the absolute path of every binary of the modules, by name. It
// takes them from BinDir, $KUBEBUILDER_ASSETS or the cache, in that order, and
// builds the rest. The version of a binary found in the first two is not checked.
func (t *Toolchain) Ensure(ctx context.Context, mods []catalog.Module) (map[string]string, error) {
	t, err := t.absolute()
	if err != nil {
		return nil, err
	}
	paths, owner := map[string]string{}, map[string]string{}
	var missing []*lookup
	for _, m := range mods {
		for name := range m.Binaries {
			if o := owner[name]; o != "" {
				return nil, fmt.Errorf("binary %s: both %s and %s make it", name, o, m.Name)
			}
			owner[name] = m.Name
		}
		l, err := t.find(ctx, m, paths)
		if err != nil {
			return nil, fmt.Errorf("find %s: %w", m.Name, err)
		}
		if len(l.missing) > 0 {
			missing = append(missing, l)
		}
	}
	if len(missing) == 0 {
		return paths, nil
	}
	if err := t.canBuild(missing); err != nil {
		return nil, err
	}
	for i, l := range missing {
		p := &progress{w: t.Stderr, terminal: t.Terminal, label: fmt.Sprintf("[%d/%d] %s", i+1, len(missing), l.Name)}
		if err := t.obtain(ctx, l, p, paths); err != nil {
			return nil, fmt.Errorf("build %s: %w", l.Name, err)
		}
	}
	if !t.Keep || size(t.buildCache()) > keepBytes {
		t.DropBuildCache()
	}
	return paths, nil
}

// find adds what needs no build to paths.
func (t *Toolchain) find(ctx context.Context, m catalog.Module, paths map[string]string) (*lookup, error) {
	l := &lookup{Module: m}
	for _, name := range slices.Sorted(maps.Keys(m.Binaries)) {
		if p, ok := t.given(name); ok {
			paths[name] = p
		} else {
			l.missing = append(l.missing, name)
		}
	}
	if len(l.missing) == 0 {
		return l, nil
	}
	var err error
	if l.print, err = t.fingerprint(ctx, m); err != nil {
		return nil, err
	}
	if t.take(l, paths) {
		l.missing = nil
	}
	return l, nil
}

// given looks where the user has put binaries.
func (t *Toolchain) given(name string) (string, bool) {
	for _, dir := range []string{t.BinDir, os.Getenv(envAssets)} {
		if dir == "" {
			continue
		}
		p, err := filepath.Abs(filepath.Join(dir, name))
		if err != nil {
			continue
		}
		if i, err := os.Stat(p); err == nil && i.Mode().IsRegular() && i.Mode()&0o111 != 0 {
			return p, true
		}
	}
	return "", false
}

// take adds the missing binaries from the cache, if they are whole there.
func (t *Toolchain) take(l *lookup, paths map[string]string) bool {
	e, ok := cached(t.CacheDir, l.Module, l.print)
	for _, name := range l.missing {
		if ok {
			paths[name] = filepath.Join(e.Path, name)
		}
	}
	return ok
}

// canBuild says what to do instead where building is out of the question.
func (t *Toolchain) canBuild(missing []*lookup) error {
	var mods, names []string
	for _, l := range missing {
		mods = append(mods, l.Name)
		names = append(names, l.missing...)
	}
	instead := "pass --bin-dir with a folder that holds " + strings.Join(names, ", ")
	if t.Root == "" {
		return fmt.Errorf("build %s: the build modules are not part of this binary: run gangctl from a clone of its repository, or %s",
			strings.Join(mods, ", "), instead)
	}
	if _, err := exec.LookPath("go"); err != nil {
		return fmt.Errorf("build %s: Go 1.26 or newer is needed: %w: install it, or %s", strings.Join(mods, ", "), err, instead)
	}
	return nil
}

// obtain builds a module, unless another process does so first.
func (t *Toolchain) obtain(ctx context.Context, l *lookup, p *progress, paths map[string]string) error {
	if err := os.MkdirAll(t.binDir(), 0o755); err != nil {
		return t.notWritable(err)
	}
	unlock, err := lock(ctx, lockFile(t.CacheDir, folder(l.Name)), exclusive, func() {
		p.say("waiting for another build of it")
	})
	if errors.Is(err, os.ErrPermission) || errors.Is(err, errReadOnly) {
		return t.notWritable(err)
	}
	if err != nil {
		return err
	}
	defer unlock()
	if t.take(l, paths) {
		p.say("another process has built it")
		return nil
	}
	if err := t.checkDisk(l.Module); err != nil {
		return err
	}
	if err := t.build(ctx, l, p); err != nil {
		return err
	}
	if !t.take(l, paths) {
		return fmt.Errorf("it is not whole in %s after its build", t.binDir())
	}
	return nil
}

func (t *Toolchain) notWritable(err error) error {
	return fmt.Errorf("cache folder %s: %w: point %s at a folder that can be written, or pass --bin-dir with the binaries", t.CacheDir, err, envCache)
}

// absolute is a copy whose folders do not depend on the working directory.
func (t *Toolchain) absolute() (*Toolchain, error) {
	c := *t
	if c.CacheDir == "" {
		return nil, errNoCache
	}
	for _, dir := range []*string{&c.Root, &c.CacheDir, &c.BinDir} {
		if *dir == "" {
			continue
		}
		abs, err := filepath.Abs(*dir)
		if err != nil {
			return nil, err
		}
		*dir = abs
	}
	// A mistyped folder would otherwise cost a long build.
	if c.BinDir != "" {
		if i, err := os.Stat(c.BinDir); err != nil {
			return nil, fmt.Errorf("--bin-dir: %w", err)
		} else if !i.IsDir() {
			return nil, fmt.Errorf("--bin-dir: %s is not a folder", c.BinDir)
		}
	}
	if c.Stderr == nil {
		c.Stderr = io.Discard
	}
	if c.freeMiB == nil {
		c.freeMiB = freeMiB
	}
	return &c, nil
}
