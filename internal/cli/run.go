package cli

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/cluster"
	"github.com/gangctl/gangctl/internal/report"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/setup"
	"github.com/gangctl/gangctl/internal/suite"
	"github.com/gangctl/gangctl/internal/workload"
)

// runOptions are the flags of run.
type runOptions struct {
	setup.Target
	profiles   []string
	cases      []string
	manifest   string
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
	times    int
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

With --manifest it takes a job of your own in place of the cases: one that an operator
of the catalog serves, the backend's own, or pods with the group that they name. It
finds the gang in it, sizes nodes by its requests with room for it and without, and
sees that it waits whole, runs whole, leaves its room to the next, does not lock with
its twin, and gets its room back when a member dies.

What is missing (a control plane, KWOK, the backend's own binaries) is built
from pinned Go modules first: minutes once, and nothing after that.`,
		Example: `  gangctl-verify run
  gangctl-verify run --backend volcano@v1.14.1 --profile core,recovery
  gangctl-verify run --operator training-operator@v1.9.3/PyTorchJob
  gangctl-verify run --case two-gangs-one-room --patience 2
  gangctl-verify run --manifest our-tfjob.yaml`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.run(c.Context(), o) },
	}
	targetFlags(c, &o.Target)
	f := c.Flags()
	f.StringSliceVar(&o.profiles, "profile", []string{"core", "recovery"}, "the profiles to run, or all, which is all but the slow")
	f.StringSliceVar(&o.cases, "case", nil, "only these cases, whatever their profile")
	f.StringVar(&o.manifest, "manifest", "", "a job of your own, to put to the test in place of the cases")
	c.MarkFlagsMutuallyExclusive("manifest", "profile")
	f.StringVarP(&o.out, "out", "o", "out", "the folder for the results")
	f.StringVar(&o.provider, "provider", string(cluster.Lab), "where to run: lab (kind and existing are reserved)")
	f.StringVar(&o.kubeconfig, "kubeconfig", "", "reserved for --provider existing; KUBECONFIG is never read")
	f.Float64Var(&o.patience, "patience", 0, "multiply every duration of the cases, for slow machines; 0 goes by how long each lab took to start")
	f.IntVar(&o.parallel, "parallel", 0, "how many labs run at once; 0 chooses")
	f.IntVar(&o.times, "times", 1, "run all of it so many times; the exit code is 0 where each shows the same, and 1 otherwise")
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
	if o.times < 1 || o.times > 1 && o.output == "json" {
		return fmt.Errorf("--times %d must be at least 1, and has no --output json of more", o.times)
	}
	if err := checkOutput(o.output, "text", "json"); err != nil {
		return err
	}
	tr, err := setup.Load(a.root)
	if err != nil {
		return err
	}
	if o.times > 1 {
		return a.runTimes(ctx, tr, o)
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

// runTimes runs the same several times, and fails where a case shows another outcome than
// the first time, and nowhere else: what it shows is in the reports.
func (a *app) runTimes(ctx context.Context, tr *setup.Tree, o *runOptions) error {
	var first *report.ConformanceReport
	differ := 0
	for i := range o.times {
		one := *o
		one.out = filepath.Join(o.out, fmt.Sprintf("run-%d", i+1))
		r, err := a.conduct(ctx, tr, &one)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.Out, "run %d of %d: %s\n", i+1, o.times, r.Summary())
		if first == nil {
			first = r
			continue
		}
		if d := report.Compare(first, r); len(d.Changes) > 0 {
			differ++
			fmt.Fprint(a.Out, d.Text())
		}
	}
	if differ > 0 {
		fmt.Fprintf(a.Out, "%d of %d runs showed something else than the first\n", differ, o.times-1)
		return ended(ExitFail)
	}
	fmt.Fprintf(a.Out, "%d runs, and each showed the same\n", o.times)
	return nil
}

// conduct runs the cases and writes the report.
func (a *app) conduct(ctx context.Context, tr *setup.Tree, o *runOptions) (_ *report.ConformanceReport, err error) {
	choose := func() ([]*scenario.Scenario, error) { return tr.Choose(o.profiles, o.cases) }
	if o.manifest != "" {
		choose = func() ([]*scenario.Scenario, error) { return a.fromManifest(tr, o) }
	}
	cases, err := choose()
	if err != nil {
		return nil, err
	}
	// 1. Binaries and bundle.
	o.Needs = scenario.NeedsOf(cases)
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
	done, failed := s.Run(ctx, cases, story.ended)
	if failed != nil && (len(done) == 0 || ctx.Err() != nil) {
		return nil, broken(failed)
	}
	// 3. The report.
	m := report.Meta{
		Backend: s.Release.Backend.Metadata.Name, Version: s.Release.Version, Operator: s.Operator(), Kubernetes: s.Kubernetes,
		Tool: version(), Provider: o.provider, Profiles: profilesOf(cases), Date: time.Now(), Command: o.command(s), Strict: o.strict,
	}
	r, err := report.Write(s.Out, m, done)
	return r, broken(errors.Join(failed, err))
}

// fromManifest writes the cases of a user's own job, and chooses the operator that makes
// its pods.
func (a *app) fromManifest(tr *setup.Tree, o *runOptions) ([]*scenario.Scenario, error) {
	data, err := os.ReadFile(o.manifest)
	if err != nil {
		return nil, fmt.Errorf("--manifest: %w", err)
	}
	file, err := workload.Read(o.manifest, data)
	if err != nil {
		return nil, err
	}
	on, err := tr.Catalog.Release(o.Backend)
	if err != nil {
		return nil, err
	}
	pair, err := file.Pair(tr.Catalog, on, o.Operator)
	if err != nil {
		return nil, err
	}
	if pair != nil {
		o.Operator = pair.String()
	}
	g, err := file.Gang(on, pair)
	if err != nil {
		return nil, err
	}
	cases, err := g.Cases()
	if err != nil {
		return nil, err
	}
	var names []string
	for _, c := range cases {
		names = append(names, c.Metadata.Name)
	}
	for _, n := range o.cases {
		if !slices.Contains(names, n) {
			return nil, catalog.Unknown("case", n, names)
		}
	}
	if len(o.cases) > 0 {
		cases = slices.DeleteFunc(cases, func(c *scenario.Scenario) bool { return !slices.Contains(o.cases, c.Metadata.Name) })
	}
	fmt.Fprintf(a.Err, "%s: gang %s, %s\n", o.manifest, g.Name, g)
	for _, what := range g.LeftOut {
		fmt.Fprintf(a.Err, "  left out: %s\n", what)
	}
	return cases, nil
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
	if o.manifest != "" {
		words = append(words, "--manifest "+o.manifest)
	}
	switch {
	case len(o.cases) > 0:
		words = append(words, "--case "+strings.Join(o.cases, ","))
	case o.manifest == "":
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
