package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gangctl/gangctl/internal/cluster"
	"github.com/gangctl/gangctl/internal/report"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/setup"
	"github.com/gangctl/gangctl/internal/suite"
)

// runOptions are the flags of run.
type runOptions struct {
	setup.Target
	profiles   []string
	cases      []string
	out        string
	provider   string
	kubeconfig string
	patience   float64
	parallel   int
	// labs and controls are shared, see suite.Suite; nil and "" share nothing.
	labs     *suite.Labs
	controls string
	suspects []string
	strict   bool
	output   string
	// change, if set, breaks the suite on purpose.
	change func(*suite.Suite)
}

func (a *app) newRun() *cobra.Command {
	o := &runOptions{}
	c := &cobra.Command{
		Use:   "run",
		Short: "Run cases with their controls, judge them and write the report",
		Long: `run brings labs up, installs the backend's bundle in each, drives the cases and
their controls through it, and writes the report:

  out/report.yaml, out/junit.xml, out/index.html
  out/cases/<case>/{timeline.jsonl,verdict.yaml,components/*.log}

What is missing (a control plane, KWOK, the backend's own binaries) is built
from pinned Go modules first: minutes once, and nothing after that.`,
		Example: `  gangctl-verify run
  gangctl-verify run --backend volcano@v1.14.1 --profile core,recovery
  gangctl-verify run --operator training-operator@v1.9.3/PyTorchJob
  gangctl-verify run --case two-gangs-one-room --patience 2`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.run(c.Context(), o) },
	}
	targetFlags(c, &o.Target)
	f := c.Flags()
	f.StringSliceVar(&o.profiles, "profile", []string{"core", "recovery"}, "the profiles to run, or all")
	f.StringSliceVar(&o.cases, "case", nil, "only these cases, whatever their profile")
	f.StringVarP(&o.out, "out", "o", "out", "the folder for the results")
	f.StringVar(&o.provider, "provider", string(cluster.Lab), "where to run: lab (kind and existing are reserved)")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "reserved for --provider existing; KUBECONFIG is never read")
	f.Float64Var(&o.patience, "patience", 0, "multiply every duration of the cases, for slow machines; 0 goes by how long each lab took to start")
	f.IntVar(&o.parallel, "parallel", 0, "how many labs run at once; 0 chooses")
	f.BoolVar(&o.strict, "strict", false, "a feature that the backend doesn't claim must pass, too")
	f.StringVar(&o.output, "output", "text", "what stdout gets: text, or json for the report")
	return c
}

func (a *app) run(ctx context.Context, o *runOptions) error {
	// Bad input costs nothing.
	if _, err := cluster.ParseProvider(o.provider); err != nil {
		return err
	}
	if o.kubeconfig != "" {
		return errors.New("--kubeconfig is for --provider existing, which is not supported yet; the lab needs no cluster")
	}
	if o.patience < 0 || o.parallel < 0 {
		return fmt.Errorf("--patience %v and --parallel %d must not be negative", o.patience, o.parallel)
	}
	if err := checkOutput(o.output, "text", "json"); err != nil {
		return err
	}
	tr, err := setup.Load(a.root)
	if err != nil {
		return err
	}
	r, err := a.conduct(ctx, tr, o)
	if err != nil {
		return err
	}
	if o.output == "json" {
		if err := printJSON(a.Out, r); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(a.Out, "%s (report: %s)\n", r.Summary(), filepath.Join(o.out, "index.html"))
	}
	return ended(r.ExitCode())
}

// conduct runs the cases and writes the report.
func (a *app) conduct(ctx context.Context, tr *setup.Tree, o *runOptions) (_ *report.ConformanceReport, err error) {
	cases, err := tr.Choose(o.profiles, o.cases)
	if err != nil {
		return nil, err
	}
	// 1. Binaries and bundle.
	s, err := o.Suite(ctx, tr, a.progress())
	if err != nil {
		return nil, err
	}
	s.Patience, s.Parallel, s.Controls, s.Suspects, s.Labs = o.patience, o.parallel, o.controls, o.suspects, o.labs
	if o.change != nil {
		o.change(s)
	}
	if s.Out, err = filepath.Abs(o.out); err != nil {
		return nil, err
	}
	// 2. The cases.
	if s.Labs == nil {
		if s.Labs, err = suite.NewLabs(0); err != nil {
			return nil, broken(err)
		}
		defer func() { err = errors.Join(err, broken(s.Labs.Close())) }()
	}
	fmt.Fprintf(a.Err, "%s on Kubernetes %s: %d cases, each with its control\n", s, s.Kubernetes, len(cases))
	story := &story{out: a.Err, terminal: isTerminal(a.Err), total: len(cases)}
	s.Progress = story.runs
	done, err := s.Run(ctx, cases, story.ended)
	if err != nil {
		return nil, broken(err)
	}
	// 3. The report.
	m := report.Meta{
		Backend: s.Release.Backend.Metadata.Name, Version: s.Release.Version, Operator: s.Operator(), Kubernetes: s.Kubernetes,
		Tool: version(), Provider: o.provider, Profiles: profilesOf(cases), Date: time.Now(), Command: o.command(s), Strict: o.strict,
	}
	r, err := report.Write(s.Out, m, done)
	return r, broken(err)
}

// command is what reproduces the run.
func (o *runOptions) command(s *suite.Suite) string {
	words := []string{"gangctl-verify run", "--backend " + s.Release.String()}
	if s.Pair != nil {
		words = append(words, "--operator "+s.Operator())
	}
	if o.Kubernetes != "" {
		words = append(words, "--kubernetes "+o.Kubernetes)
	}
	for _, c := range o.Components {
		words = append(words, "--component "+c)
	}
	if len(o.cases) > 0 {
		words = append(words, "--case "+strings.Join(o.cases, ","))
	} else {
		words = append(words, "--profile "+strings.Join(o.profiles, ","))
	}
	if o.strict {
		words = append(words, "--strict")
	}
	if o.Online {
		words = append(words, "--online")
	}
	if o.patience != 0 {
		words = append(words, fmt.Sprintf("--patience %v", o.patience))
	}
	return strings.Join(words, " ")
}

// targetFlags are the flags of what to test, or to leave running.
func targetFlags(c *cobra.Command, t *setup.Target) {
	f := c.Flags()
	f.StringVar(&t.Backend, "backend", "volcano", "the backend: name, or name@version; the newest version by default")
	f.StringVar(&t.Kubernetes, "kubernetes", "", "the lab's Kubernetes version; what the release was tested on by default")
	f.StringVar(&t.BinDir, "bin-dir", "", "a folder whose binaries are taken before any is built")
	renderFlags(c, t)
}

// renderFlags are the flags of how a bundle is hydrated.
func renderFlags(c *cobra.Command, t *setup.Target) {
	f := c.Flags()
	f.StringVar(&t.Operator, "operator", "", "an operator that makes the gangs, of jobs: name[@version][/Kind]")
	f.StringSliceVar(&t.Components, "component", nil, "a folder with a kustomize Component to put on top of the bundle; may be repeated")
	f.BoolVar(&t.Online, "online", false, "take upstream's files from their URLs, not from the Go module of the same tag")
}

func (a *app) progress() setup.Progress {
	return setup.Progress{Writer: a.Err, Terminal: isTerminal(a.Err)}
}

func checkOutput(format string, known ...string) error {
	if !slices.Contains(known, format) {
		return fmt.Errorf("--output %q must be %s", format, strings.Join(known, " or "))
	}
	return nil
}

// profilesOf are the profiles that the cases are of.
func profilesOf(cases []*scenario.Scenario) []string {
	var all []string
	for _, c := range cases {
		if !slices.Contains(all, c.Spec.Profile) {
			all = append(all, c.Spec.Profile)
		}
	}
	return all
}
