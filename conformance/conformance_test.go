package conformance_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	. "github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	. "github.com/onsi/gomega"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/e2e-framework/pkg/env"
	"sigs.k8s.io/e2e-framework/pkg/envconf"

	"github.com/gangctl/gangctl/internal/report"
	"github.com/gangctl/gangctl/internal/runfolder"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/setup"
	"github.com/gangctl/gangctl/internal/suite"
	"github.com/gangctl/gangctl/internal/verdict"
)

var (
	backend    = flag.String("backend", "volcano", "the backend: name or name@version")
	operator   = flag.String("operator", "", "an operator that makes the gangs, of jobs: name[@version][/Kind]")
	kubernetes = flag.String("kubernetes", "", "the lab's Kubernetes version")
	profiles   = flag.String("profile", "core,recovery", "the profiles to run")
	binDir     = flag.String("bin-dir", "", "a folder whose binaries are taken before any is built")
	out        = flag.String("out", "", "the folder for the results; a temporary one by default")
	patience   = flag.Float64("patience", 0, "multiply every duration of the cases; 0 goes by how long each lab took to start")
)

var (
	tree  *setup.Tree
	ready *suite.Suite
	// outcomes has a channel a case. The cases run side by side, in labs of their
	// own; Ginkgo's specs wait for them in turn.
	outcomes = map[string]chan report.Case{}
)

func TestMain(m *testing.M) {
	runfolder.ReapIfAsked()
	flag.Parse()
	ctrllog.SetLogger(logr.Discard())
	world := env.New()
	world.Setup(prepare)
	world.Finish(cleanUp)
	os.Exit(world.Run(m))
}

// prepare reads the tree, and finds or builds the binaries.
func prepare(ctx context.Context, _ *envconf.Config) (context.Context, error) {
	var err error
	if tree, err = setup.Load(""); err != nil {
		return ctx, err
	}
	target := &setup.Target{Backend: *backend, Operator: *operator, Kubernetes: *kubernetes, BinDir: *binDir}
	cases, err := tree.Choose(strings.Split(*profiles, ","), nil)
	if err != nil {
		return ctx, err
	}
	target.Needs = scenario.NeedsOf(cases)
	if ready, err = target.Suite(ctx, tree, setup.Progress{Writer: os.Stderr}); err != nil {
		return ctx, err
	}
	ready.Patience = *patience
	if ready.Labs, err = suite.NewLabs(0); err != nil {
		return ctx, err
	}
	ready.Out = *out
	if *out == "" {
		ready.Out = filepath.Join(ready.Labs.Folder.Path, "out")
	}
	return ctx, os.MkdirAll(ready.Out, 0o755)
}

func cleanUp(ctx context.Context, _ *envconf.Config) (context.Context, error) {
	return ctx, ready.Labs.Close()
}

// TestConformance runs the same cases as gangctl-verify, as a Ginkgo tree.
func TestConformance(t *testing.T) {
	RegisterFailHandler(Fail)
	cases, err := tree.Choose(strings.Split(*profiles, ","), nil)
	if err != nil {
		t.Fatal(err)
	}
	specs(cases)
	name := fmt.Sprintf("%s on Kubernetes %s", ready, ready.Kubernetes)
	done := start(t, chosen(PreviewSpecs(name), cases))
	RunSpecs(t, name)
	<-done
}

// specs makes a spec of each case.
func specs(cases []*scenario.Scenario) {
	for _, c := range cases {
		Describe(c.Spec.Profile, Label(c.Spec.Feature), func() {
			It(c.Metadata.Name, func(ctx SpecContext) {
				By(c.Spec.Description)
				var done report.Case
				Eventually(ctx, outcomes[c.Metadata.Name]).Should(Receive(&done))
				judge(done)
			}, SpecTimeout(45*time.Minute))
		})
	}
}

// judge turns an outcome into Ginkgo's.
func judge(c report.Case) {
	GinkgoHelper()
	v := c.Verdict
	switch {
	case v.Outcome == verdict.Fail && !c.Claimed:
		Skip("not claimed by the backend, and failed: " + v.Reason)
	case v.Outcome == verdict.NotApplicable:
		Skip(v.Reason)
	default:
		Expect(v.Outcome).To(Equal(verdict.Pass), v.Reason)
	}
}

// chosen are the cases that Ginkgo's filters leave.
func chosen(preview types.Report, cases []*scenario.Scenario) []*scenario.Scenario {
	left := map[string]bool{}
	for _, s := range preview.SpecReports {
		left[s.LeafNodeText] = s.State.Is(types.SpecStatePassed)
	}
	var some []*scenario.Scenario
	for _, c := range cases {
		if left[c.Metadata.Name] {
			some = append(some, c)
		}
	}
	return some
}

// start runs the cases in the background, and writes the report when all have ended.
func start(t *testing.T, cases []*scenario.Scenario) (done chan struct{}) {
	for _, c := range cases {
		outcomes[c.Metadata.Name] = make(chan report.Case, 1)
	}
	done = make(chan struct{})
	go func() {
		defer close(done)
		all, err := ready.Run(t.Context(), cases, func(c report.Case) { outcomes[c.Scenario.Metadata.Name] <- c })
		if err == nil && *out != "" {
			err = write(all)
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		// A case that could not be run leaves its spec with a closed channel, which fails it.
		for _, c := range outcomes {
			close(c)
		}
	}()
	return done
}

func write(all []report.Case) error {
	_, err := report.Write(*out, report.Meta{
		Backend: ready.Release.Backend.Metadata.Name, Version: ready.Release.Version, Operator: ready.Operator(), Kubernetes: ready.Kubernetes,
		Provider: "lab", Date: time.Now(), Profiles: strings.Split(*profiles, ","),
		Command: "go test ./conformance -args -backend=" + ready.Release.String(),
	}, all)
	return err
}
