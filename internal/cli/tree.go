package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gangctl/gangctl/bundles"
	"github.com/gangctl/gangctl/conformance"
	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/lab"
)

// tree is the data that a command works with.
type tree struct {
	fs.FS
	// root is its folder on disk; "" where it is what is built in.
	root     string
	catalog  *catalog.Catalog
	cases    []*scenario.Scenario
	profiles []scenario.Profile
}

// load reads the tree: --root, the clone around the working directory, or what is
// built in.
func (a *app) load() (*tree, error) {
	t := &tree{}
	switch found := findClone(); {
	case a.root != "":
		abs, err := filepath.Abs(a.root)
		if err != nil {
			return nil, err
		}
		t.root = abs
	default:
		t.root = found
	}
	t.FS = builtIn{}
	if t.root != "" {
		t.FS = os.DirFS(t.root)
	}
	var err error
	if t.catalog, err = catalog.Load(t); err != nil {
		if a.root != "" {
			return nil, fmt.Errorf("--root %s: %w", a.root, err)
		}
		return nil, err
	}
	if t.cases, err = scenario.Load(t, "conformance/cases"); err != nil {
		return nil, err
	}
	t.profiles, err = scenario.LoadProfiles(t, "conformance/profiles.yaml", t.cases)
	return t, err
}

// findClone looks for gangctl's own go.mod, upwards from the working directory.
func findClone() string {
	dir, err := os.Getwd()
	if err != nil {
		return ""
	}
	for {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && strings.HasPrefix(string(data), "module github.com/gangctl/gangctl\n") {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// builtIn puts the embedded folders where a clone has them.
type builtIn struct{}

func (builtIn) Open(name string) (fs.File, error) {
	for _, at := range []struct {
		folder string
		files  fs.FS
	}{{"bundles", bundles.Files}, {"lab", lab.Files}, {"conformance", conformance.Files}} {
		if name == at.folder {
			return at.files.Open(".")
		}
		if rest, ok := strings.CutPrefix(name, at.folder+"/"); ok {
			return at.files.Open(rest)
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: errors.Join(fs.ErrNotExist)}
}
