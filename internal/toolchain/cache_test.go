package toolchain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gangctl/gangctl/internal/catalog"
)

func TestListAndClear(t *testing.T) {
	fakeGo(t, fakeBinary)
	tc := &Toolchain{Root: t.TempDir(), CacheDir: t.TempDir()}
	if entries, err := List(tc.CacheDir); len(entries) > 0 || err != nil {
		t.Errorf("an empty cache lists %v, %v", entries, err)
	}
	m := tiny(t, tc.Root, nil)
	paths, err := tc.Ensure(t.Context(), []catalog.Module{m})
	if err != nil {
		t.Fatal(err)
	}
	// A build that is going on, and folders that others have made.
	for _, dir := range []string{".tmp-tiny-v1.0.0", "tiny-v1.0.0-000000000000", "other"} {
		write(t, filepath.Join(tc.CacheDir, "bin", dir, "tiny"), "half", 0o755)
	}
	entries, err := List(tc.CacheDir)
	if err != nil || len(entries) != 1 {
		t.Fatalf("List: %v, %v", entries, err)
	}
	got := entries[0]
	if got.Built.IsZero() || len(got.Key) != keyDigits {
		t.Errorf("built %v with key %q", got.Built, got.Key)
	}
	want := Entry{Module: "tiny@v1.0.0", Key: got.Key, Bytes: int64(len("binary\n")), Built: got.Built,
		Binaries: []string{"tiny"}, Path: filepath.Join(tc.CacheDir, "bin", "tiny-v1.0.0-"+got.Key)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("entry (-want +got):\n%s", diff)
	}
	if filepath.Dir(paths["tiny"]) != got.Path {
		t.Errorf("Ensure returns %s, List %s", paths["tiny"], got.Path)
	}

	write(t, filepath.Join(tc.CacheDir, "build", "object"), "12345", 0o644)
	write(t, filepath.Join(tc.CacheDir, "notes"), "mine", 0o644)
	lockPath := lockFile(tc.CacheDir, folder(m.Name))
	unlock, err := tryLock(lockPath, exclusive)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Clear(tc.CacheDir); err == nil || !strings.Contains(err.Error(), lockPath) {
		t.Errorf("Clear during a build: %v", err)
	}
	unlock()
	freed, err := Clear(tc.CacheDir)
	if err != nil || freed < got.Bytes+5 {
		t.Errorf("Clear freed %d, %v", freed, err)
	}
	left, err := os.ReadDir(tc.CacheDir)
	if err != nil || len(left) != 1 || left[0].Name() != "notes" {
		t.Errorf("Clear leaves %v, %v", left, err)
	}
	if _, err := Clear(""); err == nil {
		t.Error("Clear without a folder: no error")
	}
}

// A crash of the machine can leave a folder in place without its contents.
func TestHalfAnEntryIsBuiltAgain(t *testing.T) {
	cases := map[string]func(t *testing.T, entry string) error{
		"binary cut":  func(_ *testing.T, entry string) error { return os.Truncate(filepath.Join(entry, "tiny"), 1) },
		"binary gone": func(_ *testing.T, entry string) error { return os.Remove(filepath.Join(entry, "tiny")) },
		"meta cut":    func(_ *testing.T, entry string) error { return os.Truncate(filepath.Join(entry, metaFile), 9) },
	}
	for name, harm := range cases {
		t.Run(name, func(t *testing.T) {
			fakeGo(t, fakeBinary)
			tc := &Toolchain{Root: t.TempDir(), CacheDir: t.TempDir()}
			mods := []catalog.Module{tiny(t, tc.Root, nil)}
			first, err := tc.Ensure(t.Context(), mods)
			if err != nil {
				t.Fatal(err)
			}
			if err := harm(t, filepath.Dir(first["tiny"])); err != nil {
				t.Fatal(err)
			}
			second, err := tc.Ensure(t.Context(), mods)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := os.ReadFile(second["tiny"]); err != nil || string(got) != "binary\n" {
				t.Errorf("the binary holds %q, %v", got, err)
			}
		})
	}
}

func TestFingerprint(t *testing.T) {
	changes := map[string]func(t *testing.T, dir string, m *catalog.Module){
		"go.mod": func(t *testing.T, dir string, _ *catalog.Module) {
			write(t, filepath.Join(dir, "go.mod"), "module y\n", 0o644)
		},
		"go.sum": func(t *testing.T, dir string, _ *catalog.Module) {
			write(t, filepath.Join(dir, "go.sum"), "y\n", 0o644)
		},
		"go file": func(t *testing.T, dir string, _ *catalog.Module) {
			write(t, filepath.Join(dir, "a/b.go"), "package a\n", 0o644)
		},
		"ldflags":   func(_ *testing.T, _ string, m *catalog.Module) { m.LDFlags = nil },
		"tags":      func(_ *testing.T, _ string, m *catalog.Module) { m.Tags = []string{"small"} },
		"binaries":  func(_ *testing.T, _ string, m *catalog.Module) { m.Binaries = map[string]string{"tiny": "./other"} },
		"go itself": func(t *testing.T, _ string, _ *catalog.Module) { t.Setenv("PATH", t.TempDir()) },
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			fakeGo(t, "")
			tc := &Toolchain{Root: t.TempDir(), CacheDir: t.TempDir()}
			m := tiny(t, tc.Root, nil)
			before, err := tc.fingerprint(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			// Neither says what is built.
			write(t, filepath.Join(tc.dir(m), "component.yaml"), "x", 0o644)
			m.DiskMiB++
			if same, err := tc.fingerprint(t.Context(), m); err != nil || same != before {
				t.Errorf("the fingerprint is not stable: %v, %v, %v", before, same, err)
			}
			change(t, tc.dir(m), &m)
			after, err := tc.fingerprint(t.Context(), m)
			if err != nil || after.key() == before.key() {
				t.Errorf("the key stays %s, %v", after.key(), err)
			}
		})
	}
}

func TestDefaultCacheDir(t *testing.T) {
	t.Setenv(envCache, "relative")
	if got, err := DefaultCacheDir(); err != nil || !filepath.IsAbs(got) || filepath.Base(got) != "relative" {
		t.Errorf("%s=relative: %q, %v", envCache, got, err)
	}
	t.Setenv(envCache, "")
	t.Setenv("HOME", t.TempDir())
	if got, err := DefaultCacheDir(); err != nil || filepath.Base(got) != "gangctl" {
		t.Errorf("by default: %q, %v", got, err)
	}
}
