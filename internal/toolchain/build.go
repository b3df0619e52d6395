package toolchain

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/gangctl/gangctl/internal/catalog"
)

// buildFlags are the same for every module; they are part of the recipe.
var buildFlags = []string{"build", "-v", "-trimpath", "-buildvcs=false"}

// tailLines is how much of a failed command's output goes into the error.
const tailLines = 15

// build makes a module's binaries and stores them. The module's lock is held.
func (t *Toolchain) build(ctx context.Context, l *lookup, p *progress) error {
	tmp := filepath.Join(t.binDir(), ".tmp-"+folder(l.Name))
	// A leftover is a killed build's, for the lock is ours.
	if err := os.RemoveAll(tmp); err != nil {
		return err
	}
	out, work := filepath.Join(tmp, "out"), filepath.Join(tmp, "work")
	if err := errors.Join(os.MkdirAll(out, 0o755), os.MkdirAll(work, 0o755)); err != nil {
		return t.notWritable(err)
	}
	defer os.RemoveAll(tmp)
	unlock, err := lock(ctx, lockFile(t.CacheDir, "build"), shared, func() {
		p.say("waiting for another build to clean up")
	})
	if err != nil {
		return err
	}
	defer unlock()

	p.begin("building " + strings.Join(slices.Sorted(maps.Keys(l.Binaries)), ", "))
	defer p.end()
	dir, err := t.prepare(ctx, l.Module, filepath.Join(tmp, "src"))
	if err != nil {
		return err
	}
	if l.Generate != "" {
		if _, err := t.goCommand(ctx, dir, work, p.line, "run", l.Generate); err != nil {
			return err
		}
	}
	list, err := t.goCommand(ctx, dir, work, p.line, slices.Concat([]string{"list", "-deps", "--"}, pkgs(l.Binaries))...)
	if err != nil {
		return err
	}
	p.expect(strings.Fields(list))
	for i, names := range batches(l.Binaries) {
		if err := t.buildBatch(ctx, l, names, dir, out, filepath.Join(work, fmt.Sprintf("batch%d", i)), p); err != nil {
			return err
		}
	}
	if err := t.store(l, out); err != nil {
		return err
	}
	p.done()
	return nil
}

// buildBatch makes some of a module's binaries with one go build in dir, so that
// what they share is compiled at the same time, and names them as the catalog does.
func (t *Toolchain) buildBatch(ctx context.Context, l *lookup, names []string, dir, out, work string, p *progress) error {
	to := filepath.Join(out, names[0])
	if len(names) > 1 {
		to = work + string(filepath.Separator)
	}
	args := slices.Concat(buildFlags, []string{"-ldflags", strings.Join(slices.Concat([]string{"-s", "-w"}, l.LDFlags), " "), "-o", to, "--"})
	for _, n := range names {
		args = append(args, l.Binaries[n])
	}
	if err := os.MkdirAll(work, 0o755); err != nil {
		return err
	}
	if _, err := t.goCommand(ctx, dir, work, p.line, args...); err != nil {
		return err
	}
	if len(names) == 1 {
		return nil
	}
	for _, n := range names {
		if err := os.Rename(filepath.Join(work, execName(l.Binaries[n])), filepath.Join(out, n)); err != nil {
			return fmt.Errorf("binary %s of package %s: %w", n, l.Binaries[n], err)
		}
	}
	return nil
}

// goCommand runs go in a folder and returns its stdout. Each line of its stderr
// goes to progress, which may be nil; the last lines that it does not take as
// progress are in the error.
func (t *Toolchain) goCommand(ctx context.Context, dir, tmp string, progress func(line string) bool, args ...string) (string, error) {
	var stdout bytes.Buffer
	var tail []string
	stderr := &lineWriter{line: func(line string) {
		if progress == nil || !progress(line) {
			tail = append(tail, line)
		}
	}}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &stdout, stderr
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOFLAGS=-mod=readonly", "GOWORK=off",
		// What is built runs here, and its scratch files lie where the disk was checked.
		"GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "GOCACHE="+t.buildCache(), "GOTMPDIR="+tmp)
	killGroup(cmd)
	err := cmd.Run()
	stderr.flush()
	if ctx.Err() != nil {
		return "", context.Cause(ctx)
	}
	if err != nil {
		tail = tail[max(0, len(tail)-tailLines):]
		return "", fmt.Errorf("go %s: %w\n%s", args[0], err, strings.Join(tail, "\n"))
	}
	return stdout.String(), nil
}

// batches splits binaries such that go can name all of a batch: after the
// package's last element. A local package is named after go.mod, so it is alone.
func batches(binaries map[string]string) [][]string {
	var all [][]string
	var taken []map[string]bool
next:
	for _, name := range slices.Sorted(maps.Keys(binaries)) {
		base := execName(binaries[name])
		local := strings.HasPrefix(binaries[name], ".")
		for i := range all {
			if !local && !taken[i][base] && !taken[i]["."] {
				all[i] = append(all[i], name)
				taken[i][base] = true
				continue next
			}
		}
		all = append(all, []string{name})
		taken = append(taken, map[string]bool{base: true, ".": local})
	}
	return all
}

var majorVersion = regexp.MustCompile(`^v([2-9]|[1-9][0-9]+)$`)

// execName is how go names the binary of a package: go.etcd.io/etcd/server/v3
// becomes server.
func execName(pkg string) string {
	if dir, base := path.Split(pkg); dir != "" && majorVersion.MatchString(base) {
		return path.Base(dir)
	}
	return path.Base(pkg)
}

func pkgs(binaries map[string]string) []string {
	return slices.Compact(slices.Sorted(maps.Values(binaries)))
}

// buildCache is Go's build cache: our own, which is dropped, or the developer's.
func (t *Toolchain) buildCache() string {
	if dir := os.Getenv(envBuildCache); dir != "" {
		if abs, err := filepath.Abs(dir); err == nil {
			return abs
		}
	}
	return filepath.Join(t.CacheDir, "build")
}

// checkDisk makes room by dropping the build cache before it gives up.
func (t *Toolchain) checkDisk(m catalog.Module) error {
	dir, where := t.CacheDir, envCache
	if os.Getenv(envBuildCache) != "" {
		dir, where = t.buildCache(), envBuildCache
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return fmt.Errorf("%s: %w", envBuildCache, err)
		}
	}
	free, err := t.freeMiB(dir)
	if err == nil && free < m.DiskMiB {
		if err := t.dropBuildCache(); err != nil {
			return err
		}
		free, err = t.freeMiB(dir)
	}
	if err != nil {
		return fmt.Errorf("free disk under %s: %w", dir, err)
	}
	if free < m.DiskMiB {
		return fmt.Errorf("%d MiB of free disk are needed under %s, %d MiB are free: free some, or point %s elsewhere", m.DiskMiB, dir, free, where)
	}
	return nil
}

// dropBuildCache removes the build cache, unless it is the developer's, or
// another process builds with it: that one drops it when it is through.
func (t *Toolchain) dropBuildCache() error {
	if os.Getenv(envBuildCache) != "" {
		return nil
	}
	unlock, err := tryLock(lockFile(t.CacheDir, "build"), exclusive)
	if errors.Is(err, errLocked) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unlock()
	return os.RemoveAll(t.buildCache())
}
