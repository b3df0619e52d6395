package toolchain

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gangctl/gangctl/internal/catalog"
)

func TestProgressLines(t *testing.T) {
	p := &progress{w: &bytes.Buffer{}, label: "[1/1] tiny@v1.0.0"}
	p.begin("building tiny")
	defer p.end()
	var kept []string
	w := &lineWriter{line: func(line string) {
		if !p.line(line) {
			kept = append(kept, line)
		}
	}}
	fmt.Fprint(w, "go: downloading x.org/y v1.0.0\ngo: down")
	fmt.Fprint(w, "loading x.org/z v1.0.0\n")
	if got := p.state(); !strings.HasPrefix(got, "fetching sources, 2 modules, ") {
		t.Errorf("state %q", got)
	}
	p.expect([]string{"unsafe", "runtime", "x.org/y", "x.org/z"})
	fmt.Fprint(w, "runtime\nx.org/y\n# x.org/z\nz.go:1:1: undefined: a\nno end")
	w.flush()
	if got := p.state(); !strings.HasPrefix(got, "2 of 3 packages, ") {
		t.Errorf("state %q", got)
	}
	if diff := cmp.Diff([]string{"# x.org/z", "z.go:1:1: undefined: a", "no end"}, kept); diff != "" {
		t.Errorf("lines for the error (-want +got):\n%s", diff)
	}
}

func TestTerminalIsRedrawn(t *testing.T) {
	fakeGo(t, fakeBinary)
	var stderr bytes.Buffer
	tc := &Toolchain{Root: t.TempDir(), CacheDir: t.TempDir(), Stderr: &stderr, Terminal: true}
	if _, err := tc.Ensure(t.Context(), []catalog.Module{tiny(t, tc.Root, nil)}); err != nil {
		t.Fatal(err)
	}
	got := stderr.String()
	if !strings.HasPrefix(got, "\r\x1b[K[1/1] tiny@v1.0.0: fetching sources") || strings.Count(got, "\n") != 1 || !strings.Contains(got, "built, 1 packages compiled") {
		t.Errorf("output %q", got)
	}
}
