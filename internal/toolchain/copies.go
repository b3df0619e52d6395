package toolchain

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/source"
)

// prepare returns the folder that a module is built in. That is its own, or, if it
// wants copies of upstream modules, a copy of it at tmp with those in it: neither
// the repository nor the module cache is written to. An error names the copy.
func (t *Toolchain) prepare(ctx context.Context, m catalog.Module, tmp string) (string, error) {
	if len(m.Copies) == 0 {
		return t.dir(m), nil
	}
	if err := os.CopyFS(tmp, os.DirFS(t.dir(m))); err != nil {
		return "", err
	}
	// A copy that was made by hand, for go mod tidy, is not what is declared.
	for _, c := range m.Copies {
		if err := os.RemoveAll(filepath.Join(tmp, c.To)); err != nil {
			return "", err
		}
	}
	for _, c := range m.Copies {
		if err := makeCopy(ctx, c, t.dir(m), filepath.Join(tmp, c.To)); err != nil {
			return "", fmt.Errorf("copy %s to %s: %w", c.Module, c.To, err)
		}
	}
	return tmp, nil
}

// makeCopy copies a module to a folder that is not there yet, and puts the added
// files of the build module's folder, dir, on top.
func makeCopy(ctx context.Context, c catalog.Copy, dir, to string) error {
	from, err := source.Module(ctx, c.Module)
	if err != nil {
		return err
	}
	// What is read-only in the module cache can be written in the copy.
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		return err
	}
	if c.Add == "" {
		return nil
	}
	added := os.DirFS(filepath.Join(dir, c.Add))
	err = fs.WalkDir(added, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		place := filepath.Join(to, name)
		if d.IsDir() {
			return os.MkdirAll(place, 0o755)
		}
		data, err := fs.ReadFile(added, name)
		if err != nil {
			return err
		}
		if strings.HasSuffix(place, ".go.txt") {
			place = strings.TrimSuffix(place, ".txt")
		}
		return os.WriteFile(place, data, 0o644)
	})
	if err != nil {
		return fmt.Errorf("add %s: %w", c.Add, err)
	}
	return nil
}
