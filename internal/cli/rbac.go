package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	rbacv1 "k8s.io/api/rbac/v1"
	"sigs.k8s.io/yaml"

	"github.com/gangctl/gangctl/internal/access"
	"github.com/gangctl/gangctl/internal/setup"
	"github.com/gangctl/gangctl/internal/strict"
	"github.com/gangctl/gangctl/internal/suite"
	"github.com/gangctl/gangctl/internal/verdict"
)

// rbacOptions are the argument and the flags of rbac check.
type rbacOptions struct {
	setup.Target
	all, suggest bool
	from         string
}

func (a *app) newRBAC() *cobra.Command {
	c := &cobra.Command{Use: "rbac", Short: "Check that a bundle's roles are enough and no more"}
	o := &rbacOptions{}
	check := &cobra.Command{
		Use:   "check [backend[@version]]",
		Short: "Compare what the bundle's roles grant with what a run asks for",
		Long: `check runs the cases of a row of the matrix, and reads from the API server's audit log what each
ServiceAccount of the bundle asked for, and gangctl-verify's own: what was
forbidden, and what its roles grant and nobody used. Of upstream's roles, it counts
what is unused. Without a backend, it checks every release, by what matrix has left
in ` + matrixOut + `, and tells of those with which something is wrong.

The exit code is 1 if something was forbidden, or if a role of ours (as against
upstream's) grants what is not used and is not listed in its annotation
gangctl.dev/kept, with the reason. It is 3 if cases broke off: what the rest of them
would have asked for is not in the log.`,
		Example: `  gangctl-verify rbac check volcano@v1.14.1
  gangctl-verify rbac check kube-batch --suggest
  gangctl-verify rbac check volcano --operator training-operator
  gangctl-verify rbac check volcano --from out      # the results of an earlier run
  gangctl-verify rbac check                         # those of the last matrix`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			tr, err := setup.Load(a.root)
			if err != nil {
				return err
			}
			if len(args) == 0 {
				return a.rbacCheckAll(c.Context(), tr, o)
			}
			o.Backend = args[0]
			return a.rbacCheck(c.Context(), tr, o)
		},
	}
	renderFlags(check, &o.Target)
	check.Flags().BoolVar(&o.all, "all", false, "list what upstream's roles grant and nobody used, too")
	check.Flags().BoolVar(&o.suggest, "suggest", false, "print the smallest roles that the log supports")
	check.Flags().StringVar(&o.from, "from", "", "take the results of an earlier run from this folder, or of an earlier matrix")
	c.AddCommand(check)
	return c
}

func (a *app) rbacCheck(ctx context.Context, tr *setup.Tree, o *rbacOptions) error {
	chosen, err := o.Choose(tr)
	if err != nil {
		return err
	}
	from := o.from
	if from == "" {
		from = filepath.Join("out", "rbac", folderOf(chosen))
		run := &runOptions{Target: o.Target, profiles: tr.RowProfiles(chosen), provider: "lab", out: from}
		if _, err := a.conduct(ctx, tr, run); err != nil {
			return err
		}
	}
	code, err := o.compare(ctx, a.Out, tr, chosen, from)
	if err != nil {
		return err
	}
	return ended(code)
}

// rbacCheckAll checks every row of a matrix by its results.
func (a *app) rbacCheckAll(ctx context.Context, tr *setup.Tree, o *rbacOptions) error {
	if o.Operator != "" {
		return errors.New("--operator: name a backend, too")
	}
	targets, err := tr.Targets(nil)
	if err != nil {
		return err
	}
	worst := ExitPass
	for _, chosen := range targets {
		var text strings.Builder
		code, err := o.compare(ctx, &text, tr, chosen, filepath.Join(cmp.Or(o.from, matrixOut), folderOf(chosen)))
		switch {
		case errors.Is(err, errNoResults):
			code = ExitInconclusive
			fmt.Fprintf(a.Out, "not run  %s\n", chosen)
		case err != nil:
			return fmt.Errorf("%s: %w", chosen, err)
		case code == ExitPass && !o.all && !o.suggest:
			fmt.Fprintf(a.Out, "fine     %s\n", chosen)
		default:
			fmt.Fprintf(a.Out, "%s\n%s", chosen, text.String())
		}
		worst = worse(worst, code)
	}
	return ended(worst)
}

// compare tells what each user of the bundle was refused in a run, and what its roles
// grant and it did not use, and returns the exit code for that.
func (o *rbacOptions) compare(ctx context.Context, w io.Writer, tr *setup.Tree, chosen *setup.Chosen, from string) (int, error) {
	asked, err := readRequests(from)
	if err != nil {
		return 0, err
	}
	all, cut, err := casesOf(from)
	if err != nil {
		return 0, err
	}
	grants, err := o.Grants(ctx, tr, chosen)
	if err != nil {
		return 0, err
	}
	unused := access.Together(access.Unused(grants, asked))
	var forbidden, idle bool
	for _, user := range users(grants) {
		fmt.Fprintln(w, user)
		f, i := tellAccess(w, user, asked, unused, o.all)
		forbidden, idle = forbidden || f, idle || i
		if o.suggest {
			text, err := yaml.Marshal(map[string][]rbacv1.PolicyRule{"rules": access.Smallest(asked, user)})
			if err != nil {
				return 0, err
			}
			fmt.Fprintf(w, "%s", text)
		}
	}
	if len(cut) > 0 {
		fmt.Fprintf(w, "inconclusive: %d of %d cases broke off (%s), and may have needed what is unused, or been forbidden more\n",
			len(cut), all, strings.Join(cut, ", "))
	}
	switch {
	case forbidden:
		return ExitFail, nil
	case len(cut) > 0:
		return ExitInconclusive, nil
	case idle:
		return ExitFail, nil
	}
	return ExitPass, nil
}

// casesOf counts the cases of a run, and names those that broke off.
func casesOf(from string) (all int, cut []string, err error) {
	files, err := filepath.Glob(filepath.Join(from, "cases", "*", suite.VerdictFile))
	for _, file := range files {
		v, err := readVerdict(file)
		if err != nil {
			return 0, nil, err
		}
		if v.Subject.Outcome == verdict.Inconclusive {
			cut = append(cut, v.Case)
		}
	}
	return len(files), cut, err
}

func readVerdict(file string) (*verdict.Verdict, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	v := &verdict.Verdict{}
	return v, strict.YAML(file, data, v)
}

// tellAccess prints what a user was refused and what it did not use, and reports
// whether it was refused anything, and whether a role of ours lies idle.
func tellAccess(w io.Writer, user string, asked []access.Request, unused []access.Grant, all bool) (forbidden, idle bool) {
	for _, x := range access.Refused(asked, user) {
		forbidden = true
		fmt.Fprintf(w, "  forbidden  %s %s (%d times)\n", x.Verb, x.Qualified(), x.Refused)
	}
	upstream := map[string]int{}
	for _, g := range unused {
		switch {
		case g.User != user:
		case g.Kept != "":
			fmt.Fprintf(w, "  kept       %s, by %s: %s\n", g, g.Role, g.Kept)
		case g.Ours:
			idle = true
			fmt.Fprintf(w, "  unused     %s, by %s, which is ours\n", g, g.Role)
		case all:
			fmt.Fprintf(w, "  upstream   %s, by %s, unused\n", g, g.Role)
		default:
			upstream[g.Role] += strings.Count(g.Verb, ",") + 1
		}
	}
	for _, role := range slices.Sorted(maps.Keys(upstream)) {
		fmt.Fprintf(w, "  upstream   %d grants by %s, unused (--all lists them)\n", upstream[role], role)
	}
	if !forbidden && !idle {
		fmt.Fprintln(w, "  fine       nothing forbidden, nothing of ours unused")
	}
	return forbidden, idle
}

func users(grants []access.Grant) []string {
	var all []string
	for _, g := range grants {
		if len(all) == 0 || all[len(all)-1] != g.User {
			all = append(all, g.User)
		}
	}
	return all
}

var errNoResults = errors.New("no results of a run")

// readRequests adds up what the cases of a run recorded.
func readRequests(from string) ([]access.Request, error) {
	files, err := filepath.Glob(filepath.Join(from, "cases", "*", suite.RequestsFile))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: %w", from, errNoResults)
	}
	var all []access.Request
	for _, f := range files {
		data, err := os.ReadFile(f)
		if err != nil {
			return nil, err
		}
		var some []access.Request
		if err := strict.YAML(f, data, &some); err != nil {
			return nil, err
		}
		all = access.Merge(all, some)
	}
	return all, nil
}
