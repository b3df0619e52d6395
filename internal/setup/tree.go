// Package setup turns what was asked for (a tree, a backend, a Kubernetes version)
// into a suite that is ready to run.
package setup

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gangctl/gangctl/bundles"
	"github.com/gangctl/gangctl/conformance"
	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/lab"
	"github.com/gangctl/gangctl/rbac"
)

// Tree is the data that a command works with.
type Tree struct {
	fs.FS
	// Root is its folder on disk; "" where it is what is built in.
	Root     string
	Catalog  *catalog.Catalog
	Cases    []*scenario.Scenario
	Profiles []scenario.Profile
}

// Load reads the tree at root; without one, the clone around the working directory,
// or else what is built in.
func Load(root string) (*Tree, error) {
	t := &Tree{FS: builtIn{}, Root: root}
	if root == "" {
		t.Root = findClone()
	}
	var err error
	if t.Root != "" {
		if t.Root, err = filepath.Abs(t.Root); err != nil {
			return nil, err
		}
		t.FS = os.DirFS(t.Root)
	}
	if t.Catalog, err = catalog.Load(t); err != nil {
		if root != "" {
			return nil, fmt.Errorf("--root %s: %w", root, err)
		}
		return nil, err
	}
	if t.Cases, err = scenario.Load(t, "conformance/cases"); err != nil {
		return nil, err
	}
	t.Profiles, err = scenario.LoadProfiles(t, "conformance/profiles.yaml", t.Cases)
	return t, err
}

// AllProfiles stands for every profile.
const AllProfiles = "all"

// Choose picks the cases by name, or else all of the profiles.
func (t *Tree) Choose(profiles, names []string) ([]*scenario.Scenario, error) {
	var haveNames, haveProfiles []string
	for _, c := range t.Cases {
		haveNames = append(haveNames, c.Metadata.Name)
	}
	for _, p := range t.Profiles {
		haveProfiles = append(haveProfiles, p.Name)
	}
	for _, n := range names {
		if !slices.Contains(haveNames, n) {
			return nil, catalog.Unknown("case", n, haveNames)
		}
	}
	if slices.Contains(profiles, AllProfiles) {
		for _, p := range t.Profiles {
			if !p.Slow {
				profiles = append(profiles, p.Name)
			}
		}
		profiles = slices.DeleteFunc(slices.Clone(profiles), func(p string) bool { return p == AllProfiles })
	}
	for _, p := range profiles {
		if !slices.Contains(haveProfiles, p) {
			return nil, catalog.Unknown("profile", p, haveProfiles)
		}
	}
	var chosen []*scenario.Scenario
	for _, c := range t.Cases {
		if slices.Contains(names, c.Metadata.Name) || len(names) == 0 && slices.Contains(profiles, c.Spec.Profile) {
			chosen = append(chosen, c)
		}
	}
	return chosen, nil
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
	}{{"bundles", bundles.Files}, {"lab", lab.Files}, {"conformance", conformance.Files}, {"rbac", rbac.Files}} {
		if name == at.folder {
			return at.files.Open(".")
		}
		if rest, ok := strings.CutPrefix(name, at.folder+"/"); ok {
			return at.files.Open(rest)
		}
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}
