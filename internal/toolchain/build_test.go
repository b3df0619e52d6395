package toolchain

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/gangctl/gangctl/internal/catalog"
)

// deadline is for what should come at once, on a machine that may be busy.
const deadline = time.Minute

// within waits for a result.
func within[T any](t *testing.T, what string, c <-chan T) T {
	t.Helper()
	select {
	case v := <-c:
		return v
	case <-time.After(deadline):
		t.Fatalf("%s: nothing within %s", what, deadline)
		panic("not reached")
	}
}

func TestCancelKillsTheCompilers(t *testing.T) {
	fifo := filepath.Join(t.TempDir(), "alive")
	if err := unix.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	// The child outlives go, and holds the pipe open for as long as it lives.
	fakeGo(t, `sleep 3600 > "`+fifo+`" 2>&1 &
wait`)
	tc := &Toolchain{Root: t.TempDir(), CacheDir: t.TempDir()}
	m := tiny(t, tc.Root, nil)
	ctx, cancel := context.WithCancel(t.Context())
	ensured, opened, gone := make(chan error, 1), make(chan error, 1), make(chan error, 1)
	go func() {
		_, err := tc.Ensure(ctx, []catalog.Module{m})
		ensured <- err
	}()
	go func() {
		f, err := os.Open(fifo)
		opened <- err
		if err == nil {
			_, err = io.ReadAll(f)
			f.Close()
		}
		gone <- err
	}()
	if err := within(t, "compiler starts", opened); err != nil {
		t.Fatal(err)
	}
	cancel()
	cancelled(t, within(t, "Ensure returns", ensured))
	if err := within(t, "compiler ends", gone); err != nil {
		t.Error(err)
	}
	left, err := filepath.Glob(filepath.Join(tc.CacheDir, "bin", ".tmp-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if _, err := os.Stat(filepath.Join(tc.CacheDir, "build")); err != nil {
		t.Errorf("the next try has no build cache: %v", err)
	}
}

func TestCancelledBefore(t *testing.T) {
	fakeGo(t, fakeBinary)
	tc := &Toolchain{Root: t.TempDir(), CacheDir: t.TempDir()}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := tc.Ensure(ctx, []catalog.Module{tiny(t, tc.Root, nil)})
	cancelled(t, err)
}

// onWrite calls a function at the first line that contains a text.
type onWrite struct {
	bytes.Buffer
	text string
	call func()
}

func (w *onWrite) Write(data []byte) (int, error) {
	if w.call != nil && strings.Contains(string(data), w.text) {
		w.call()
		w.call = nil
	}
	return w.Buffer.Write(data)
}

func TestWaitsForAnotherBuild(t *testing.T) {
	cases := map[string]struct {
		cancel, store bool
		want          string
	}{
		"it gives up":  {want: "built, "},
		"it succeeds":  {store: true, want: "another process has built it"},
		"we are tired": {cancel: true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			fakeGo(t, fakeBinary)
			tc := &Toolchain{Root: t.TempDir(), CacheDir: t.TempDir()}
			m := tiny(t, tc.Root, nil)
			file := lockFile(tc.CacheDir, folder(m.Name))
			write(t, file, "", 0o644)
			unlock, err := tryLock(file, exclusive)
			if err != nil {
				t.Fatal(err)
			}
			defer unlock()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			stderr := &onWrite{text: "[1/1] tiny@v1.0.0: waiting for another build", call: func() {
				if c.cancel {
					cancel()
					return
				}
				if c.store {
					f, err := tc.fingerprint(ctx, m)
					if err != nil {
						t.Error(err)
					}
					out := t.TempDir()
					write(t, filepath.Join(out, "tiny"), "binary", 0o755)
					if err := tc.store(&lookup{Module: m, print: f}, out); err != nil {
						t.Error(err)
					}
				}
				unlock()
			}}
			tc.Stderr = stderr
			paths, err := tc.Ensure(ctx, []catalog.Module{m})
			if stderr.call != nil {
				t.Errorf("it does not say that it waits:\n%s", stderr)
			}
			if c.cancel {
				cancelled(t, err)
				return
			}
			if err != nil || paths["tiny"] == "" || !strings.Contains(stderr.String(), c.want) {
				t.Errorf("error %v, paths %v, no %q in:\n%s", err, paths, c.want, stderr)
			}
		})
	}
}

func TestBuildCache(t *testing.T) {
	cases := map[string]struct {
		build  string
		ours   bool
		inUse  bool
		fails  bool
		exists bool
	}{
		"dropped after success":       {build: fakeBinary, ours: true},
		"kept for a retry":            {build: "exit 1", ours: true, fails: true, exists: true},
		"kept for another process":    {build: fakeBinary, ours: true, inUse: true, exists: true},
		"the developer's is not ours": {build: fakeBinary, exists: true},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			fakeGo(t, c.build)
			tc := &Toolchain{Root: t.TempDir(), CacheDir: t.TempDir()}
			dir := filepath.Join(tc.CacheDir, "build")
			if !c.ours {
				dir = filepath.Join(t.TempDir(), "developer")
				t.Setenv(envBuildCache, dir)
			}
			if c.inUse {
				file := lockFile(tc.CacheDir, "build")
				write(t, file, "", 0o644)
				unlock, err := tryLock(file, shared)
				if err != nil {
					t.Fatal(err)
				}
				defer unlock()
			}
			if _, err := tc.Ensure(t.Context(), []catalog.Module{tiny(t, tc.Root, nil)}); (err != nil) != c.fails {
				t.Fatal(err)
			}
			if _, err := os.Stat(dir); (err == nil) != c.exists {
				t.Errorf("build cache: %v, want it to exist: %v", err, c.exists)
			}
		})
	}
}

func TestBuildCacheMakesRoom(t *testing.T) {
	fakeGo(t, fakeBinary)
	tc := &Toolchain{Root: t.TempDir(), CacheDir: t.TempDir()}
	var saw []int
	tc.freeMiB = func(dir string) (int, error) {
		free := 10
		if _, err := os.Stat(filepath.Join(dir, "build")); err == nil {
			free = 1
		}
		saw = append(saw, free)
		return free, nil
	}
	one := tiny(t, tc.Root, nil)
	one.DiskMiB = 5
	two := one
	two.Name, two.Binaries = "tiny@v2.0.0", map[string]string{"two": "example.com/tiny"}
	if _, err := tc.Ensure(t.Context(), []catalog.Module{one, two}); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{10, 1, 10}, saw); diff != "" {
		t.Errorf("free MiB seen (-want +got):\n%s", diff)
	}
}

// What is kept for the next Ensure goes when it has grown, or when all is built.
func TestBuildCacheIsKept(t *testing.T) {
	fakeGo(t, fakeBinary)
	tc := &Toolchain{Root: t.TempDir(), CacheDir: t.TempDir(), Keep: true}
	dir := filepath.Join(tc.CacheDir, "build")
	one := tiny(t, tc.Root, nil)
	if _, err := tc.Ensure(t.Context(), []catalog.Module{one}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Errorf("it was not kept: %v", err)
	}
	// A file with a hole takes no disk.
	write(t, filepath.Join(dir, "large"), "", 0o644)
	if err := os.Truncate(filepath.Join(dir, "large"), keepBytes+1); err != nil {
		t.Fatal(err)
	}
	two := one
	two.Name, two.Binaries = "tiny@v2.0.0", map[string]string{"two": "example.com/tiny"}
	if _, err := tc.Ensure(t.Context(), []catalog.Module{two}); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("it was kept, and is too large")
	}
	write(t, filepath.Join(dir, "small"), "", 0o644)
	tc.DropBuildCache()
	if _, err := os.Stat(dir); err == nil {
		t.Error("it was not dropped")
	}
	var stderr bytes.Buffer
	(&Toolchain{CacheDir: t.TempDir(), Stderr: &stderr}).DropBuildCache()
	if stderr.Len() > 0 {
		t.Errorf("where nothing was built it says %q", &stderr)
	}
}

// Modules that the user has are taken from theirs, and what is fetched
// does not go there.
func TestModulesAreTheBuilds(t *testing.T) {
	realGo(t)
	t.Setenv(envBuildCache, "")
	t.Setenv("GOMODCACHE", "/home/a b/mod")
	t.Setenv("GOPROXY", "https://proxy.example")
	tc := &Toolchain{CacheDir: "/cache"}
	env, err := tc.buildEnv(t.Context(), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"GOMODCACHE=/cache/build/mod", "GOCACHE=/cache/build/go-build",
		"GOPROXY=file:///home/a%20b/mod/cache/download,https://proxy.example",
	} {
		if !slices.Contains(env, want) {
			t.Errorf("no %s in %q", want, env)
		}
	}
}

func TestBatches(t *testing.T) {
	cases := map[string]struct {
		binaries map[string]string
		want     [][]string
	}{
		"together":       {map[string]string{"b": "x.org/m/b", "a": "x.org/m/a"}, [][]string{{"a", "b"}}},
		"major version":  {map[string]string{"a": "x.org/m/cmd/v3", "b": "x.org/n/cmd"}, [][]string{{"a"}, {"b"}}},
		"same name":      {map[string]string{"a": "x.org/m/cmd", "b": "x.org/n/cmd", "c": "x.org/c"}, [][]string{{"a", "c"}, {"b"}}},
		"local is alone": {map[string]string{"a": "./a", "b": "x.org/b", "c": "x.org/c", "d": "."}, [][]string{{"a"}, {"b", "c"}, {"d"}}},
	}
	for name, c := range cases {
		if diff := cmp.Diff(c.want, batches(c.binaries)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	for pkg, want := range map[string]string{"go.etcd.io/etcd/server/v3": "server", "x.org/m/v1": "v1", "x.org/m/v0": "v0", "x.org/m/v10": "m", "v2": "v2"} {
		if got := execName(pkg); got != want {
			t.Errorf("execName(%s) = %s, want %s", pkg, got, want)
		}
	}
}
