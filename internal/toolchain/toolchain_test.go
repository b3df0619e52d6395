package toolchain

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gangctl/gangctl/internal/catalog"
)

// tiny is a module that imports nothing, so that its build takes a moment.
func tiny(t *testing.T, root string, files map[string]string) catalog.Module {
	t.Helper()
	const main = "package main\n\nvar version string\n\nfunc main() { println(version) }\n"
	all := map[string]string{"go.mod": "module example.com/tiny\n\ngo 1.24\n", "main.go": main, "other/main.go": main, "server/v2/main.go": main}
	for name, text := range files {
		all[name] = text
	}
	for name, text := range all {
		write(t, filepath.Join(root, "lab/tiny/v1.0.0", name), text, 0o644)
	}
	return catalog.Module{Name: "tiny@v1.0.0", Path: "lab/tiny/v1.0.0", Build: catalog.Build{
		Binaries: map[string]string{"tiny": "example.com/tiny"},
		LDFlags:  []string{"-X main.version=one"}, DiskMiB: 1,
	}}
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), mode)); err != nil {
		t.Fatal(err)
	}
}

// realGo lends the test's own build cache, so that the standard library is
// compiled once in a machine's life.
func realGo(t *testing.T) {
	t.Helper()
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(envBuildCache, strings.TrimSpace(string(out)))
	t.Setenv(envAssets, "")
}

// fakeGo puts a shell script in go's place; build is what its build does with
// $out, the file to write.
func fakeGo(t *testing.T, build string) {
	t.Helper()
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go"), `#!/bin/sh
case "$1" in
version) echo "go version go1.99 test/test"; exit ;;
env) echo '{"GOMODCACHE": "/nowhere", "GOPROXY": "off"}'; exit ;;
list) printf 'unsafe\nruntime\nexample.com/tiny\n'; exit ;;
esac
while [ "$1" != -o ]; do shift; done
out=$2
mkdir -p "$GOCACHE"
echo example.com/tiny >&2
`+build+"\n", 0o755)
	t.Setenv("PATH", dir+string(os.PathListSeparator)+os.Getenv("PATH"))
	t.Setenv(envBuildCache, "")
	t.Setenv(envAssets, "")
}

const fakeBinary = `echo binary > "$out"; chmod +x "$out"`

// run runs a binary that Ensure has returned.
func run(t *testing.T, path string) string {
	t.Helper()
	if !filepath.IsAbs(path) {
		t.Fatalf("path %q is not absolute", path)
	}
	out, err := exec.Command(path).CombinedOutput()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func TestEnsureBuildsOnce(t *testing.T) {
	realGo(t)
	var stderr bytes.Buffer
	tc := &Toolchain{Root: t.TempDir(), CacheDir: t.TempDir(), Stderr: &stderr}
	m := tiny(t, tc.Root, nil)
	// Two that share a go build, one whose name go changes, one local package.
	m.Binaries = map[string]string{"etcd": "example.com/tiny/server/v2", "other": "example.com/tiny/other", "tiny": "."}
	built, err := tc.Ensure(t.Context(), []catalog.Module{m})
	if err != nil {
		t.Fatal(err)
	}
	for name := range m.Binaries {
		if got := run(t, built[name]); got != "one" {
			t.Errorf("%s prints %q, want one", name, got)
		}
	}
	for _, want := range []string{"[1/1] tiny@v1.0.0: building etcd, other, tiny\n", "[1/1] tiny@v1.0.0: built, "} {
		if !strings.Contains(stderr.String(), want) {
			t.Errorf("no %q in:\n%s", want, &stderr)
		}
	}

	changed := m
	changed.LDFlags = []string{"-X main.version=two"}
	again, err := tc.Ensure(t.Context(), []catalog.Module{changed})
	if err != nil {
		t.Fatal(err)
	}
	if got := run(t, again["etcd"]); got != "two" {
		t.Errorf("after a changed ldflag etcd prints %q, want two", got)
	}

	// Neither Go nor the tree is needed for what is built.
	stderr.Reset()
	t.Setenv("PATH", t.TempDir())
	for what, root := range map[string]string{"tree": tc.Root, "no tree": ""} {
		tc.Root = root
		got, err := tc.Ensure(t.Context(), []catalog.Module{m})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(built, got); diff != "" {
			t.Errorf("%s: second call (-first +second):\n%s", what, diff)
		}
	}
	if stderr.Len() > 0 {
		t.Errorf("a cached module is announced:\n%s", &stderr)
	}
}

func TestEnsureRefuses(t *testing.T) {
	cases := map[string]struct {
		real    bool
		files   map[string]string
		prepare func(t *testing.T, tc *Toolchain, m *catalog.Module)
		want    []string
	}{
		"broken source": {
			real: true, files: map[string]string{"main.go": "package main\n\nfunc main() { nonsense() }\n"},
			want: []string{"build tiny@v1.0.0: go build: exit status 1", "undefined: nonsense"},
		},
		"newer go": {
			real: true, files: map[string]string{"go.mod": "module example.com/tiny\n\ngo 1.999\n"},
			prepare: func(t *testing.T, _ *Toolchain, _ *catalog.Module) { t.Setenv("GOTOOLCHAIN", "local") },
			want:    []string{"build tiny@v1.0.0: ", "go.mod requires go >= 1.999"},
		},
		"no go": {
			prepare: func(t *testing.T, _ *Toolchain, _ *catalog.Module) { t.Setenv("PATH", t.TempDir()) },
			want:    []string{"build tiny@v1.0.0: Go 1.26 or newer is needed", "--bin-dir with a folder that holds tiny"},
		},
		"embedded only": {
			prepare: func(_ *testing.T, tc *Toolchain, _ *catalog.Module) { tc.Root = "" },
			want:    []string{"not part of this binary", "--bin-dir with a folder that holds tiny"},
		},
		"disk": {
			prepare: func(_ *testing.T, tc *Toolchain, m *catalog.Module) { m.DiskMiB = 1 << 30 },
			want:    []string{"build tiny@v1.0.0: 1073741824 MiB of free disk are needed under ", "GANGCTL_CACHE"},
		},
		"cache below a file": {
			prepare: func(t *testing.T, tc *Toolchain, _ *catalog.Module) {
				file := filepath.Join(t.TempDir(), "file")
				write(t, file, "", 0o644)
				tc.CacheDir = filepath.Join(file, "cache")
			},
			want: []string{"file/cache", "GANGCTL_CACHE", "--bin-dir"},
		},
		"no bin dir": {
			prepare: func(_ *testing.T, tc *Toolchain, _ *catalog.Module) { tc.BinDir = filepath.Join(tc.CacheDir, "typo") },
			want:    []string{"--bin-dir: ", "typo"},
		},
		"no module": {
			prepare: func(_ *testing.T, tc *Toolchain, m *catalog.Module) { m.Path = "lab/none" },
			want:    []string{"find tiny@v1.0.0: ", "go.mod"},
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			if c.real {
				realGo(t)
			} else {
				fakeGo(t, fakeBinary)
			}
			tc := &Toolchain{Root: t.TempDir(), CacheDir: t.TempDir()}
			m := tiny(t, tc.Root, c.files)
			if c.prepare != nil {
				c.prepare(t, tc, &m)
			}
			_, err := tc.Ensure(t.Context(), []catalog.Module{m})
			if err == nil {
				t.Fatal("no error")
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("no %q in: %v", want, err)
				}
			}
			if strings.Contains(err.Error(), "\nruntime\n") {
				t.Errorf("mere progress in: %v", err)
			}
			if entries, _ := List(tc.CacheDir); len(entries) > 0 {
				t.Errorf("the cache holds %v", entries)
			}
		})
	}
}

func TestEnsureTakesGivenBinaries(t *testing.T) {
	fakeGo(t, fakeBinary)
	bin, assets := t.TempDir(), t.TempDir()
	t.Setenv(envAssets, assets)
	write(t, filepath.Join(bin, "tiny"), "", 0o755)
	write(t, filepath.Join(assets, "tiny"), "", 0o755)
	write(t, filepath.Join(assets, "etcd"), "", 0o755)
	write(t, filepath.Join(bin, "etcd"), "not executable", 0o644)

	tc := &Toolchain{Root: t.TempDir(), CacheDir: filepath.Join(bin, "tiny", "no folder"), BinDir: bin}
	m := tiny(t, tc.Root, nil)
	m.Binaries["etcd"] = "example.com/tiny/server/v2"
	want := map[string]string{"tiny": filepath.Join(bin, "tiny"), "etcd": filepath.Join(assets, "etcd")}
	got, err := tc.Ensure(t.Context(), []catalog.Module{m})
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("error %v, paths (-want +got):\n%s", err, diff)
	}

	twice := m
	twice.Name = "tiny@v2.0.0"
	if _, err := tc.Ensure(t.Context(), []catalog.Module{m, twice}); err == nil || !strings.Contains(err.Error(), "both tiny@v1.0.0 and tiny@v2.0.0") {
		t.Errorf("one binary of two modules: %v", err)
	}

	// What is given of a module wins even if the rest has to be built.
	tc.CacheDir = t.TempDir()
	delete(m.Binaries, "etcd")
	m.Binaries["other"] = "./other"
	got, err = tc.Ensure(t.Context(), []catalog.Module{m})
	if err != nil || got["tiny"] != filepath.Join(bin, "tiny") || !strings.HasPrefix(got["other"], tc.CacheDir) {
		t.Errorf("error %v, paths %v", err, got)
	}
}

// cancelled is the context's error, however it is wrapped.
func cancelled(t *testing.T, err error) {
	t.Helper()
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context canceled", err)
	}
}
