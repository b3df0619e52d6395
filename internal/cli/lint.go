package cli

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/setup"
)

func (a *app) newLint() *cobra.Command {
	return &cobra.Command{
		Use:   "lint [file or folder]...",
		Short: "Check cases without running them",
		Long: `lint reads cases as run does, and says of each whether it is fine, or the file, the
step and the field of the first thing wrong. Without arguments it checks every case
of the tree. docs/scenario-reference.md says what a case may hold.

Exit codes: 0 all are fine, 2 one is not.`,
		Example: `  gangctl-verify lint
  gangctl-verify lint my-fault.yaml`,
		RunE: func(_ *cobra.Command, args []string) error {
			tr, err := setup.Load(a.root)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				// They are read with the tree, and an error would have ended that.
				for _, c := range tr.Cases {
					fmt.Fprintf(a.Out, "fine  %s\n", c.Metadata.Name)
				}
				return nil
			}
			files, err := caseFiles(args)
			if err != nil {
				return err
			}
			code := ExitPass
			for _, f := range files {
				if err := lint(tr, f); err != nil {
					fmt.Fprintln(a.Err, err)
					code = ExitUsage
					continue
				}
				fmt.Fprintf(a.Out, "fine  %s\n", f)
			}
			return ended(code)
		},
	}
}

// lint checks one file, and that its profile is one of the tree's.
func lint(tr *setup.Tree, file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	s, err := scenario.Decode(file, data)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(tr.Profiles, func(p scenario.Profile) bool { return p.Name == s.Spec.Profile }) {
		return fmt.Errorf("%s: spec.profile: %q is not in conformance/profiles.yaml", file, s.Spec.Profile)
	}
	return nil
}

// caseFiles are the files that are named, and those of the folders that are.
func caseFiles(names []string) ([]string, error) {
	var all []string
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			all = append(all, name)
			continue
		}
		found, err := fs.Glob(os.DirFS(name), "*.yaml")
		if err != nil {
			return nil, err
		}
		if len(found) == 0 {
			return nil, fmt.Errorf("%s: no case in this folder", name)
		}
		for _, f := range found {
			all = append(all, filepath.Join(name, f))
		}
	}
	return all, nil
}
