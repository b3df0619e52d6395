package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gangctl/gangctl/internal/report"
	"github.com/gangctl/gangctl/internal/verdict"
)

func (a *app) newReport() *cobra.Command {
	c := &cobra.Command{Use: "report", Short: "Work with the reports of earlier runs"}
	var output string
	diff := &cobra.Command{
		Use:   "diff <report or folder> <report or folder>",
		Short: "Say what changed between two runs, versions or clusters",
		Long: `diff compares the outcomes of two reports, case by case. A line that begins with
"-" is a case that passed in the first and does not in the second, "+" one that passes
now, and "~" any other change.

Exit codes: 0 nothing that passed has got worse, 1 something has.`,
		Example: `  gangctl-verify report diff out-v1.10.0 out-v1.14.1`,
		Args:    cobra.ExactArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkOutput(output, "text", "json"); err != nil {
				return err
			}
			from, err := report.Read(args[0])
			if err != nil {
				return err
			}
			to, err := report.Read(args[1])
			if err != nil {
				return err
			}
			d := report.Compare(from, to)
			if output == "json" {
				if err := printJSON(a.Out, d); err != nil {
					return err
				}
			} else {
				fmt.Fprint(a.Out, d.Text())
			}
			for _, x := range d.Changes {
				if x.Worse {
					return ended(ExitFail)
				}
			}
			return nil
		},
	}
	diff.Flags().StringVar(&output, "output", "text", "text or json")
	c.AddCommand(diff)
	return c
}

func (a *app) newRerun() *cobra.Command {
	var failed bool
	var out string
	c := &cobra.Command{
		Use:   "rerun [report or folder]",
		Short: "Run the cases of an earlier report again",
		Long: `rerun runs what a report says reproduces it, with --failed only the cases that did
not pass. Without an argument it takes the report in out/.`,
		Example: `  gangctl-verify rerun --failed
  gangctl-verify rerun out/matrix/volcano@v1.14.1 --out out/again`,
		Args: cobra.MaximumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			from := "out"
			if len(args) > 0 {
				from = args[0]
			}
			r, err := report.Read(from)
			if err != nil {
				return err
			}
			again, err := rerunArgs(r, failed)
			if err != nil {
				return fmt.Errorf("%s: %w", from, err)
			}
			if len(again) == 0 {
				fmt.Fprintln(a.Out, "every case passed: there is nothing to run again")
				return nil
			}
			run := a.newRun()
			run.SetArgs(append(again, "--out", out))
			run.SilenceErrors, run.SilenceUsage = true, true
			return run.ExecuteContext(c.Context())
		},
	}
	c.Flags().BoolVar(&failed, "failed", false, "only the cases that did not pass")
	c.Flags().StringVarP(&out, "out", "o", "out/again", "the folder for the report")
	return c
}

// rerunArgs are the arguments of run that reproduce a report; none if nothing is left to.
func rerunArgs(r *report.ConformanceReport, failed bool) ([]string, error) {
	words, ok := strings.CutPrefix(r.Reproduce, "gangctl-verify run ")
	if !ok {
		return nil, fmt.Errorf("reproduce: %q must begin with gangctl-verify run", r.Reproduce)
	}
	all := strings.Fields(words)
	if !failed {
		return all, nil
	}
	var cases, kept []string
	for _, p := range r.Profiles {
		for _, c := range p.Cases {
			if c.Outcome != verdict.Pass && c.Outcome != verdict.NotApplicable {
				cases = append(cases, c.Name)
			}
		}
	}
	if len(cases) == 0 {
		return nil, nil
	}
	for i := 0; i < len(all); i++ {
		if all[i] != "--case" && all[i] != "--profile" {
			kept = append(kept, all[i])
			continue
		}
		if i++; i == len(all) {
			return nil, errors.New("reproduce: a flag lacks its value")
		}
	}
	return append(kept, "--case", strings.Join(cases, ",")), nil
}
