package cli

import (
	"context"
	"errors"
	"fmt"
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
)

// rbacOptions are the flags of rbac check, besides those of the target.
type rbacOptions struct {
	all, suggest bool
	from         string
}

func (a *app) newRBAC() *cobra.Command {
	c := &cobra.Command{Use: "rbac", Short: "Check that a bundle's roles are enough and no more"}
	t := &setup.Target{}
	o := &rbacOptions{}
	check := &cobra.Command{
		Use:   "check backend[@version]",
		Short: "Compare what the bundle's roles grant with what a full run asks for",
		Long: `check runs all cases, and reads from the API server's audit log what each
ServiceAccount of the bundle asked for, and gangctl-verify's own: what was
forbidden, and what its roles grant and nobody used. Of upstream's roles, it counts
what is unused.

The exit code is 1 if something was forbidden, or if a role of ours (as against
upstream's) grants what is not used and is not listed in its annotation
gangctl.dev/kept, with the reason.`,
		Example: `  gangctl-verify rbac check volcano@v1.14.1
  gangctl-verify rbac check kube-batch --suggest
  gangctl-verify rbac check volcano --operator training-operator
  gangctl-verify rbac check volcano --from out      # the results of an earlier run`,
		Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			t.Backend = args[0]
			return a.rbacCheck(c.Context(), t, o)
		},
	}
	renderFlags(check, t)
	check.Flags().BoolVar(&o.all, "all", false, "list what upstream's roles grant and nobody used, too")
	check.Flags().BoolVar(&o.suggest, "suggest", false, "print the smallest roles that the log supports")
	check.Flags().StringVar(&o.from, "from", "", "take the results of an earlier run from this folder")
	c.AddCommand(check)
	return c
}

func (a *app) rbacCheck(ctx context.Context, t *setup.Target, o *rbacOptions) error {
	tr, err := setup.Load(a.root)
	if err != nil {
		return err
	}
	chosen, err := t.Choose(tr)
	if err != nil {
		return err
	}
	grants, err := t.Grants(ctx, tr, chosen)
	if err != nil {
		return err
	}
	from := o.from
	if from == "" {
		from = filepath.Join("out", "rbac", folderOf(chosen))
		run := &runOptions{Target: *t, profiles: tr.RowProfiles(chosen), provider: "lab", out: from}
		if _, err := a.conduct(ctx, tr, run); err != nil {
			return err
		}
	}
	asked, err := readRequests(from)
	if err != nil {
		return err
	}
	unused := access.Together(access.Unused(grants, asked))
	wrong := false
	for _, user := range users(grants) {
		fmt.Fprintln(a.Out, user)
		wrong = !a.tellAccess(user, asked, unused, o.all) || wrong
		if o.suggest {
			text, err := yaml.Marshal(map[string][]rbacv1.PolicyRule{"rules": access.Smallest(asked, user)})
			if err != nil {
				return err
			}
			fmt.Fprintf(a.Out, "%s", text)
		}
	}
	if wrong {
		return ended(ExitFail)
	}
	return nil
}

// tellAccess prints what a user was refused and what it did not use, and reports
// whether nothing is wrong with that.
func (a *app) tellAccess(user string, asked []access.Request, unused []access.Grant, all bool) bool {
	fine := true
	for _, x := range access.Refused(asked, user) {
		fine = false
		fmt.Fprintf(a.Out, "  forbidden  %s %s (%d times)\n", x.Verb, x.Qualified(), x.Refused)
	}
	upstream := map[string]int{}
	for _, g := range unused {
		switch {
		case g.User != user:
		case g.Kept != "":
			fmt.Fprintf(a.Out, "  kept       %s, by %s: %s\n", g, g.Role, g.Kept)
		case g.Ours:
			fine = false
			fmt.Fprintf(a.Out, "  unused     %s, by %s, which is ours\n", g, g.Role)
		case all:
			fmt.Fprintf(a.Out, "  upstream   %s, by %s, unused\n", g, g.Role)
		default:
			upstream[g.Role] += strings.Count(g.Verb, ",") + 1
		}
	}
	for _, role := range slices.Sorted(maps.Keys(upstream)) {
		fmt.Fprintf(a.Out, "  upstream   %d grants by %s, unused (--all lists them)\n", upstream[role], role)
	}
	if fine {
		fmt.Fprintln(a.Out, "  fine       nothing forbidden, nothing of ours unused")
	}
	return fine
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
