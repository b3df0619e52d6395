package toolchain

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
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

// buildFlags are the same for every module; they are part of the recipe. Debug
// information would not be linked, and takes a fifth of the build cache.
var buildFlags = []string{"build", "-v", "-trimpath", "-buildvcs=false", "-gcflags=all=-dwarf=false"}

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
	env, err := t.buildEnv(ctx, dir)
	if err != nil {
		return err
	}
	g := goTool{dir: dir, env: append(env, "GOTMPDIR="+work), progress: p.line}
	if l.Generate != "" {
		if _, err := g.run(ctx, "run", l.Generate); err != nil {
			return err
		}
	}
	list, err := g.run(ctx, slices.Concat([]string{"list", "-deps", tags(l), "--"}, pkgs(l.Binaries))...)
	if err != nil {
		return err
	}
	p.expect(strings.Fields(list))
	for i, names := range batches(l.Binaries) {
		if err := buildBatch(ctx, g, l, names, out, filepath.Join(work, fmt.Sprintf("batch%d", i))); err != nil {
			return err
		}
	}
	if err := t.store(l, out); err != nil {
		return err
	}
	p.done()
	return nil
}

// buildBatch makes some of a module's binaries with one go build, so that what
// they share is compiled at the same time, and names them as the catalog does.
func buildBatch(ctx context.Context, g goTool, l *lookup, names []string, out, work string) error {
	to := filepath.Join(out, names[0])
	if len(names) > 1 {
		to = work + string(filepath.Separator)
	}
	args := slices.Concat(buildFlags, []string{tags(l), "-ldflags", strings.Join(slices.Concat([]string{"-s", "-w"}, l.LDFlags), " "), "-o", to, "--"})
	for _, n := range names {
		args = append(args, l.Binaries[n])
	}
	if err := os.MkdirAll(work, 0o755); err != nil {
		return err
	}
	if _, err := g.run(ctx, args...); err != nil {
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

func tags(l *lookup) string { return "-tags=" + strings.Join(l.Tags, ",") }

// goTool is how go is run for a module.
type goTool struct {
	// dir is the module's folder.
	dir string
	// env is added to the environment.
	env []string
	// progress takes a line of stderr, if it is one of progress. May be nil.
	progress func(line string) bool
}

// run runs go and returns its stdout. The last lines of its stderr that are not
// progress are in the error.
func (g goTool) run(ctx context.Context, args ...string) (string, error) {
	var stdout bytes.Buffer
	var tail []string
	stderr := &lineWriter{line: func(line string) {
		if g.progress == nil || !g.progress(line) {
			tail = append(tail, line)
		}
	}}
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = g.dir, &stdout, stderr
	cmd.Env = slices.Concat(os.Environ(), []string{"GOFLAGS=-mod=readonly", "GOWORK=off"}, g.env)
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

// buildEnv is the environment that a module is built in.
//
// The modules of a Kubernetes take a gigabyte and are of no use once it is built.
// So they do not go to the user's module cache, but to one in the build cache,
// which is dropped; those that the user has come from there.
func (t *Toolchain) buildEnv(ctx context.Context, dir string) ([]string, error) {
	// What is built runs here, and its scratch files lie where the disk was checked.
	env := []string{compilerGC(), "CGO_ENABLED=0", "GOOS=" + runtime.GOOS, "GOARCH=" + runtime.GOARCH}
	if lent := lentBuildCache(); lent != "" {
		return append(env, "GOCACHE="+lent), nil
	}
	out, err := goTool{dir: dir}.run(ctx, "env", "-json", "GOMODCACHE", "GOPROXY")
	if err != nil {
		return nil, err
	}
	var user struct{ GOMODCACHE, GOPROXY string }
	if err := json.Unmarshal([]byte(out), &user); err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	has := url.URL{Scheme: "file", Path: filepath.ToSlash(filepath.Join(user.GOMODCACHE, "cache", "download"))}
	return append(env,
		"GOCACHE="+filepath.Join(t.buildCache(), "go-build"),
		"GOMODCACHE="+filepath.Join(t.buildCache(), "mod"),
		"GOPROXY="+has.String()+","+user.GOPROXY,
		// What can't be written can't be dropped.
		"GOFLAGS=-mod=readonly -modcacherw"), nil
}

// compilerGC lets the compiler collect its garbage less often than Go's default, which
// takes a sixth of the time, unless the user has said how often.
func compilerGC() string {
	if set := os.Getenv("GOGC"); set != "" {
		return "GOGC=" + set
	}
	return "GOGC=300"
}

// lentBuildCache is the developer's own build cache, "" without one.
func lentBuildCache() string {
	dir := os.Getenv(envBuildCache)
	if dir == "" {
		return ""
	}
	if abs, err := filepath.Abs(dir); err == nil {
		return abs
	}
	return dir
}

// buildCache holds what is compiled and the modules it is compiled from.
func (t *Toolchain) buildCache() string { return filepath.Join(t.CacheDir, "build") }

// checkDisk makes room by dropping the build cache before it gives up.
func (t *Toolchain) checkDisk(m catalog.Module) error {
	dir, where := t.CacheDir, envCache
	if lent := lentBuildCache(); lent != "" {
		dir, where = lent, envBuildCache
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

// DropBuildCache removes the build cache, and says so if it can't: the binaries are
// there all the same.
func (t *Toolchain) DropBuildCache() {
	if err := t.dropBuildCache(); err != nil && t.Stderr != nil {
		fmt.Fprintf(t.Stderr, "build cache %s stays: %v\n", t.buildCache(), err)
	}
}

// dropBuildCache removes the build cache, unless another process builds with it:
// that one drops it when it is through.
func (t *Toolchain) dropBuildCache() error {
	// Where nothing was built, there may be no folder for the lock either.
	if _, err := os.Stat(t.buildCache()); errors.Is(err, os.ErrNotExist) {
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
