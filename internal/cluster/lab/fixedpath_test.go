package lab

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestRelocate(t *testing.T) {
	dir := t.TempDir()
	binary, root, cwd := filepath.Join(dir, "operator"), filepath.Join(dir, "root"), filepath.Join(dir, "process")
	const fixed = "/tmp/certs"
	if err := os.WriteFile(binary, []byte("before "+fixed+" between "+fixed+"/tls.crt after"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, fixed), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, fixed, "tls.crt"), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	moved, err := relocate(binary, []string{fixed}, root, cwd)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(moved)
	if err != nil {
		t.Fatal(err)
	}
	if want := "before _________0 between _________0/tls.crt after"; string(text) != want {
		t.Errorf("got %q, want %q", text, want)
	}
	if got, err := os.ReadFile(filepath.Join(cwd, "_________0", "tls.crt")); string(got) != "mine" {
		t.Errorf("the new path leads to %q, %v", got, err)
	}
	if _, err := relocate(binary, []string{"/tmp/other"}, root, t.TempDir()); err == nil || !strings.Contains(err.Error(), "does not have /tmp/other built in") {
		t.Errorf("a path that is not there: got %v", err)
	}
}
