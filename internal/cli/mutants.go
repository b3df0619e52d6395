package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/mutant"
	"github.com/gangctl/gangctl/internal/setup"
	"github.com/gangctl/gangctl/internal/suite"
)

func (a *app) newMutants() *cobra.Command {
	var only []string
	var out string
	c := &cobra.Command{
		Use:   "mutants",
		Short: "Break backends and operators on purpose, and see that the suite notices",
		Long: `mutants runs one case on each mutant of conformance/mutants: a backend without its
gang plugin, a role without a rule, an operator without its flag. It prints what
gave each away. The exit code is 1 if one goes unnoticed.`,
		Example: `  gangctl-verify mutants
  gangctl-verify mutants --only volcano-no-gang,training-operator-no-flag`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.mutants(c.Context(), only, out) },
	}
	f := c.Flags()
	f.StringSliceVar(&only, "only", nil, "only these mutants")
	f.StringVarP(&out, "out", "o", "out/mutants", "the folder for the reports, one below it for each mutant")
	return c
}

func (a *app) mutants(ctx context.Context, only []string, out string) error {
	tr, err := setup.Load(a.root)
	if err != nil {
		return err
	}
	all, err := mutant.Load(tr, "conformance/mutants")
	if err != nil {
		return err
	}
	var names []string
	for _, m := range all {
		names = append(names, m.Metadata.Name)
	}
	for _, o := range only {
		if !slices.Contains(names, o) {
			return catalog.Unknown("mutant", o, names)
		}
	}
	if len(only) > 0 {
		all = slices.DeleteFunc(all, func(m *mutant.Mutant) bool { return !slices.Contains(only, m.Metadata.Name) })
	}
	noticed := 0
	for i, m := range all {
		fmt.Fprintf(a.Err, "[%d/%d] %s: ", i+1, len(all), m)
		how, err := a.runMutant(ctx, tr, m, filepath.Join(out, m.Metadata.Name))
		if err != nil {
			return err
		}
		if how == "" {
			fmt.Fprintf(a.Out, "MISSED   %s: %s The report is in %s.\n", m, m.Spec.About, filepath.Join(out, m.Metadata.Name))
			continue
		}
		noticed++
		fmt.Fprintf(a.Out, "noticed  %s: %s\n", m, how)
	}
	fmt.Fprintf(a.Out, "%d of %d mutants were noticed (%d %%)\n", noticed, len(all), 100*noticed/len(all))
	if noticed < len(all) {
		return ended(ExitFail)
	}
	return nil
}

// runMutant says how the suite noticed the mutant; "" if it didn't.
func (a *app) runMutant(ctx context.Context, tr *setup.Tree, m *mutant.Mutant, out string) (string, error) {
	o := &runOptions{
		Target: setup.Target{Backend: m.Spec.Backend, Operator: m.Spec.Operator},
		cases:  []string{m.Spec.Case}, provider: "lab", out: out,
		change: func(s *suite.Suite) { breakIt(s, m) },
	}
	if m.Component != "" {
		// kustomize reads folders on disk, and the tree may be what is built in.
		part, err := fs.Sub(tr, m.Component)
		if err != nil {
			return "", err
		}
		dir, err := os.MkdirTemp("", "gangctl-mutant-")
		if err != nil {
			return "", broken(err)
		}
		defer os.RemoveAll(dir)
		if err := os.CopyFS(dir, part); err != nil {
			return "", broken(err)
		}
		o.Components = []string{dir}
	}
	if _, err := a.conduct(ctx, tr, o); err != nil {
		if how := m.Spec.Noticed.Refused(err); how != "" {
			fmt.Fprintln(a.Err, "refused")
			return how, nil
		}
		return "", err
	}
	v, err := readVerdict(filepath.Join(out, "cases", m.Spec.Case, suite.VerdictFile))
	if err != nil {
		return "", broken(err)
	}
	asked, err := readRequests(out)
	if err != nil && !errors.Is(err, errNoResults) {
		return "", err
	}
	return m.Spec.Noticed.Shown(v, asked), nil
}

// breakIt breaks what no manifest sets, and puts the mutant's steps into the case.
func breakIt(s *suite.Suite, m *mutant.Mutant) {
	s.ControlPlane, s.Spoil = m.Spec.ControlPlane, m.Case
	if m.Spec.NoFields && s.Pair != nil {
		pair := *s.Pair
		pair.Fields = nil
		s.Pair = &pair
	}
}
