package toolchain

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/gangctl/gangctl/internal/catalog"
)

// fingerprint is what a module's binaries are made from. A part that is "" is
// not known on this machine, and matches any.
type fingerprint struct {
	// Recipe hashes the catalog's build instructions and the platform.
	Recipe string `json:"recipe"`
	// Sources hashes go.mod, go.sum, the module's own Go files and what it adds to
	// copies; unknown where there is no tree on disk.
	Sources string `json:"sources"`
	// Go is what "go version" prints; unknown where there is no Go.
	Go string `json:"go"`
}

// fingerprint reads what can be known of a module without building it.
func (t *Toolchain) fingerprint(ctx context.Context, m catalog.Module) (fingerprint, error) {
	parts := map[string]any{
		"flags": buildFlags, "binaries": m.Binaries, "ldflags": m.LDFlags,
		"platform": runtime.GOOS + "/" + runtime.GOARCH,
	}
	if len(m.Copies) > 0 {
		parts["copies"] = m.Copies
	}
	if len(m.Tags) > 0 {
		parts["tags"] = m.Tags
	}
	if m.Generate != "" {
		parts["generate"] = m.Generate
	}
	recipe, err := json.Marshal(parts)
	if err != nil {
		return fingerprint{}, err
	}
	f := fingerprint{Recipe: hash(recipe)}
	if t.Root == "" {
		return f, nil
	}
	if f.Sources, err = sources(t.dir(m), m.Copies); err != nil {
		return f, err
	}
	if _, err := exec.LookPath("go"); err == nil {
		// In the module's folder, where its go.mod chooses the Go that builds it.
		version, err := goTool{dir: t.dir(m)}.run(ctx, "version")
		if err != nil {
			return f, err
		}
		f.Go = strings.TrimSpace(version)
	}
	return f, nil
}

// key is the content address: 64 hex digits.
func (f fingerprint) key() string { return hash([]byte(f.Recipe + "\n" + f.Sources + "\n" + f.Go)) }

// matches reports whether a stored fingerprint agrees with all that is known.
func (f fingerprint) matches(stored fingerprint) bool {
	same := func(known, stored string) bool { return known == "" || known == stored }
	return same(f.Recipe, stored.Recipe) && same(f.Sources, stored.Sources) && same(f.Go, stored.Go)
}

// sources hashes the files of a module's folder that decide what is built. The
// copies themselves do not: upstream's bytes are pinned by their version.
func sources(dir string, copies []catalog.Copy) (string, error) {
	var list strings.Builder
	add := func(name string) error {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&list, "%s %q\n", hash(data), filepath.ToSlash(name))
		return nil
	}
	if err := add("go.mod"); err != nil {
		return "", err
	}
	// A module without dependencies has none.
	if err := add("go.sum"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(dir, p)
		if err != nil {
			return err
		}
		counts := filepath.Ext(name) == ".go"
		for _, c := range copies {
			if d.IsDir() && filepath.ToSlash(name) == c.To {
				return fs.SkipDir
			}
			counts = counts || c.Add != "" && strings.HasPrefix(filepath.ToSlash(name), c.Add+"/")
		}
		if d.IsDir() || !counts {
			return nil
		}
		return add(name)
	})
	return hash([]byte(list.String())), err
}

func hash(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
