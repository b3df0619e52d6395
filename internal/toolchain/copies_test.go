package toolchain

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gangctl/gangctl/internal/catalog"
)

const tag = "example.com/upstream@v1.0.0"

// moduleCache makes a module cache with an upstream that lacks a constant, and
// whose files can't be written, as in a real one.
func moduleCache(t *testing.T) string {
	t.Helper()
	cache := t.TempDir()
	dir := filepath.Join(cache, tag)
	write(t, filepath.Join(dir, "go.mod"), "module example.com/upstream\n\ngo 1.24\n", 0o444)
	write(t, filepath.Join(dir, "names/names.go"), "package names\n\nconst Group = \"group\"\n", 0o444)
	t.Setenv("GOMODCACHE", cache)
	return dir
}

// lacking is a module that does not build but with a copy of the upstream module.
func lacking(t *testing.T, root string) catalog.Module {
	t.Helper()
	m := tiny(t, root, map[string]string{
		"go.mod":                          "module example.com/tiny\n\ngo 1.24\n\nrequire example.com/upstream v1.0.0\n\nreplace example.com/upstream => ./copies/up\n",
		"main.go":                         "package main\n\nimport \"example.com/upstream/names\"\n\nfunc main() { println(names.Key) }\n",
		"files/up/names/key.go.txt":       "package names\n\nconst Key = Group + \"/one\"\n",
		"copies/up/names/made-by-hand.go": "package names\n\nnonsense\n",
	})
	m.Copies = []catalog.Copy{{Module: tag, To: "copies/up", Add: "files/up"}}
	return m
}

func TestEnsureBuildsWithACopy(t *testing.T) {
	realGo(t)
	upstream := moduleCache(t)
	tc := &Toolchain{Root: t.TempDir(), CacheDir: t.TempDir()}
	m := lacking(t, tc.Root)
	built := func() string {
		t.Helper()
		paths, err := tc.Ensure(t.Context(), []catalog.Module{m})
		if err != nil {
			t.Fatal(err)
		}
		return run(t, paths["tiny"])
	}
	if got := built(); got != "group/one" {
		t.Errorf("tiny prints %q, want group/one", got)
	}
	// An added file is part of the content address, and may replace upstream's.
	write(t, filepath.Join(tc.dir(m), "files/up/names/key.go.txt"), "package names\n\nconst Key = Group + \"/two\"\n", 0o644)
	write(t, filepath.Join(tc.dir(m), "files/up/names/names.go.txt"), "package names\n\nconst Group = \"ours\"\n", 0o644)
	if got := built(); got != "ours/two" {
		t.Errorf("after its files changed tiny prints %q, want ours/two", got)
	}

	for what, dir := range map[string]string{"the module cache": upstream, "the repository": tc.dir(m)} {
		if _, err := os.Stat(filepath.Join(dir, "names/key.go")); err == nil {
			t.Errorf("%s is written to", what)
		}
	}
	left, err := filepath.Glob(filepath.Join(tc.CacheDir, "bin", ".tmp-*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// generating is lacking, with a program of its own in place of the added files.
func generating(t *testing.T, root string) catalog.Module {
	t.Helper()
	m := lacking(t, root)
	dir := filepath.Join(root, m.Path)
	if err := os.RemoveAll(filepath.Join(dir, "files")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "generate/main.go"), generator("made"), 0o644)
	m.Copies[0].Add, m.Generate = "", "./generate"
	return m
}

// generator is a program that writes the constant into the copy. It uses the module
// whose file it makes, as it stands without it.
func generator(key string) string {
	return `package main

import (
	"os"

	"example.com/upstream/names"
)

func main() {
	text := "package names\n\nconst Key = \"" + names.Group + "/` + key + `\"\n"
	if err := os.WriteFile("copies/up/names/key.go", []byte(text), 0o644); err != nil {
		println("generate:", err.Error())
		os.Exit(1)
	}
}
`
}

func TestEnsureGenerates(t *testing.T) {
	realGo(t)
	upstream := moduleCache(t)
	tc := &Toolchain{Root: t.TempDir(), CacheDir: t.TempDir()}
	m := generating(t, tc.Root)
	for _, want := range []string{"made", "made-otherwise"} {
		write(t, filepath.Join(tc.dir(m), "generate/main.go"), generator(want), 0o644)
		paths, err := tc.Ensure(t.Context(), []catalog.Module{m})
		if err != nil {
			t.Fatal(err)
		}
		if got := run(t, paths["tiny"]); got != "group/"+want {
			t.Errorf("tiny prints %q, want group/%s", got, want)
		}
	}
	for what, dir := range map[string]string{"the module cache": upstream, "the repository": filepath.Join(tc.dir(m), "copies/up")} {
		if _, err := os.Stat(filepath.Join(dir, "names/key.go")); err == nil {
			t.Errorf("%s is written to", what)
		}
	}

	const fails = "package main\n\nimport \"os\"\n\nfunc main() {\n\tprintln(\"generate: no\")\n\tos.Exit(1)\n}\n"
	write(t, filepath.Join(tc.dir(m), "generate/main.go"), fails, 0o644)
	_, err := tc.Ensure(t.Context(), []catalog.Module{m})
	if want := "build tiny@v1.0.0: go run: exit status 1\ngenerate: no\n"; err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("error %v, want one that begins with %q", err, want)
	}
}

func TestEnsureRefusesCopies(t *testing.T) {
	cases := map[string]struct {
		spoil func(t *testing.T, dir string, m *catalog.Module)
		want  string
	}{
		"no such module": {
			func(_ *testing.T, _ string, m *catalog.Module) { m.Copies[0].Module = "example.com/none@v1.0.0" },
			"build tiny@v1.0.0: copy example.com/none@v1.0.0 to copies/up: ",
		},
		"two in one place": {
			func(_ *testing.T, _ string, m *catalog.Module) { m.Copies = append(m.Copies, m.Copies[0]) },
			"build tiny@v1.0.0: copy " + tag + " to copies/up: open ",
		},
		"no added files": {
			func(t *testing.T, dir string, _ *catalog.Module) {
				if err := os.RemoveAll(filepath.Join(dir, "files")); err != nil {
					t.Fatal(err)
				}
			},
			"build tiny@v1.0.0: copy " + tag + " to copies/up: add files/up: stat ",
		},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			fakeGo(t, fakeBinary)
			moduleCache(t)
			t.Setenv("GOPROXY", "off")
			tc := &Toolchain{Root: t.TempDir(), CacheDir: t.TempDir()}
			m := lacking(t, tc.Root)
			c.spoil(t, tc.dir(m), &m)
			_, err := tc.Ensure(t.Context(), []catalog.Module{m})
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("error %v, want one that begins with %q", err, c.want)
			}
		})
	}
}

func TestFingerprintOfCopies(t *testing.T) {
	changes := map[string]struct {
		change func(t *testing.T, dir string, m *catalog.Module)
		same   bool
	}{
		"module":       {change: func(_ *testing.T, _ string, m *catalog.Module) { m.Copies[0].Module = "example.com/upstream@v1.0.1" }},
		"place":        {change: func(_ *testing.T, _ string, m *catalog.Module) { m.Copies[0].To = "copies/other" }},
		"none at all":  {change: func(_ *testing.T, _ string, m *catalog.Module) { m.Copies = nil }},
		"added folder": {change: func(_ *testing.T, _ string, m *catalog.Module) { m.Copies[0].Add = "" }},
		"added file": {change: func(t *testing.T, dir string, _ *catalog.Module) {
			write(t, filepath.Join(dir, "files/up/data.json"), "{}", 0o644)
		}},
		"changed file": {change: func(t *testing.T, dir string, _ *catalog.Module) {
			write(t, filepath.Join(dir, "files/up/names/key.go.txt"), "package names\n", 0o644)
		}},
		"a copy made by hand": {same: true, change: func(t *testing.T, dir string, _ *catalog.Module) {
			write(t, filepath.Join(dir, "copies/up/names/more.go"), "package names\n", 0o644)
		}},
		"generator": {change: func(_ *testing.T, _ string, m *catalog.Module) { m.Generate = "./generate" }},
		"generator's file": {change: func(t *testing.T, dir string, _ *catalog.Module) {
			write(t, filepath.Join(dir, "generate/main.go"), generator("made"), 0o644)
		}},
		"another folder": {same: true, change: func(t *testing.T, dir string, _ *catalog.Module) {
			write(t, filepath.Join(dir, "files/upper/key.txt"), "", 0o644)
		}},
	}
	for name, c := range changes {
		t.Run(name, func(t *testing.T) {
			fakeGo(t, "")
			tc := &Toolchain{Root: t.TempDir(), CacheDir: t.TempDir()}
			m := lacking(t, tc.Root)
			before, err := tc.fingerprint(t.Context(), m)
			if err != nil {
				t.Fatal(err)
			}
			c.change(t, tc.dir(m), &m)
			after, err := tc.fingerprint(t.Context(), m)
			if err != nil || (after.key() == before.key()) != c.same {
				t.Errorf("the key was %s and is %s, %v; want the same: %v", before.key(), after.key(), err, c.same)
			}
		})
	}
}
