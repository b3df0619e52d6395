// Package suite runs cases side by side, each with its control, each run in a lab
// of its own: schedulers look at the whole cluster, so two cases on one would
// disturb each other.
package suite

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/cluster/lab"
	"github.com/gangctl/gangctl/internal/drive"
	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/report"
	"github.com/gangctl/gangctl/internal/runfolder"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
	"github.com/gangctl/gangctl/internal/verdict"
)

// Suite is a backend, ready to be put to the test.
type Suite struct {
	Release    *catalog.Release
	Kubernetes string
	// Binaries maps the lab's and the release's binaries to their paths.
	Binaries map[string]string
	// Objects are the release's, rendered.
	Objects     []*unstructured.Unstructured
	CertManager []*unstructured.Unstructured
	Stages      []byte
	Folder      *runfolder.Folder
	// Out is the folder of the results.
	Out string
	// Patience multiplies every duration of the cases.
	Patience float64
	// Parallel is how many labs run at once; 0 chooses.
	Parallel int

	once   sync.Once
	slots  chan struct{} // labs
	starts chan struct{} // labs that are starting
	// quiet waits for every run but those that are to run alone.
	quiet sync.WaitGroup
	alone sync.Mutex
	mu    sync.Mutex
	labs  int
}

func (s *Suite) init() {
	s.once.Do(func() {
		if s.Parallel == 0 {
			// A running case mostly waits; starting a lab keeps two cores busy.
			s.Parallel = 3 * runtime.NumCPU()
		}
		s.slots = make(chan struct{}, s.Parallel)
		s.starts = make(chan struct{}, max(1, runtime.NumCPU()))
	})
}

// Run runs the cases and calls each as one ends. Those that run alone come last.
func (s *Suite) Run(ctx context.Context, cases []*scenario.Scenario, each func(report.Case)) ([]report.Case, error) {
	s.init()
	order := slices.Clone(cases)
	slices.SortStableFunc(order, func(a, b *scenario.Scenario) int {
		return cmp.Compare(scenario.Weight(b.Spec.Steps), scenario.Weight(a.Spec.Steps))
	})
	for _, c := range order {
		s.quiet.Add(quietRuns(c))
	}
	type result struct {
		report.Case
		err error
	}
	results := make(chan result)
	for _, c := range order {
		go func() {
			done, err := s.runCase(ctx, c)
			results <- result{done, err}
		}()
	}
	var all []report.Case
	var errs []error
	for range order {
		r := <-results
		if r.err != nil {
			errs = append(errs, r.err)
			continue
		}
		all = append(all, r.Case)
		each(r.Case)
	}
	if err := context.Cause(ctx); err != nil {
		return all, err
	}
	return all, errors.Join(errs...)
}

// quietRuns is how many runs of a case may have others beside them.
func quietRuns(c *scenario.Scenario) int {
	if c.Spec.Alone {
		return 1
	}
	return 2
}

// RunCase runs one case with its control, both at once, and judges what was
// recorded.
func (s *Suite) RunCase(ctx context.Context, c *scenario.Scenario) (report.Case, error) {
	s.init()
	s.quiet.Add(quietRuns(c))
	return s.runCase(ctx, c)
}

func (s *Suite) runCase(ctx context.Context, c *scenario.Scenario) (report.Case, error) {
	dir := filepath.Join(s.Out, "cases", c.Metadata.Name)
	if err := errors.Join(os.RemoveAll(dir), os.MkdirAll(dir, 0o755)); err != nil {
		s.quiet.Add(-quietRuns(c))
		return report.Case{}, err
	}
	runs := []string{timeline.Subject, timeline.Control}
	errs := make([]error, len(runs))
	var both sync.WaitGroup
	for i, run := range runs {
		both.Go(func() { errs[i] = s.record(ctx, c, run, dir) })
	}
	both.Wait()
	if err := errors.Join(errs...); err != nil {
		return report.Case{}, fmt.Errorf("case %s: %w", c.Metadata.Name, err)
	}
	file, err := join(dir, runs)
	if err != nil {
		return report.Case{}, fmt.Errorf("case %s: %w", c.Metadata.Name, err)
	}
	v, err := JudgeFile(file)
	if err != nil {
		return report.Case{}, err
	}
	text, err := yaml.Marshal(v)
	if err != nil {
		return report.Case{}, err
	}
	done := report.Case{Scenario: c, Verdict: v, Claimed: s.claims(c.Spec.Feature), Timeline: file}
	return done, os.WriteFile(filepath.Join(dir, "verdict.yaml"), text, 0o644)
}

// JudgeFile judges a recorded timeline.
func JudgeFile(path string) (*verdict.Verdict, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	v, err := verdict.Judge(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return v, nil
}

func (s *Suite) claims(feature string) bool {
	return feature == scenario.Core || slices.Contains(s.Release.Backend.Spec.Claims, feature)
}

// record runs one run of a case in a lab of its own.
func (s *Suite) record(ctx context.Context, c *scenario.Scenario, run, dir string) error {
	if c.Spec.Alone && run == timeline.Subject {
		s.quiet.Wait()
		s.alone.Lock()
		defer s.alone.Unlock()
	} else {
		defer s.quiet.Done()
	}
	s.slots <- struct{}{}
	defer func() { <-s.slots }()
	if err := context.Cause(ctx); err != nil {
		return err
	}
	file, err := os.Create(filepath.Join(dir, run+".jsonl"))
	if err != nil {
		return err
	}
	defer file.Close()
	begin, writer, err := s.begin(c, run)
	if err != nil {
		return err
	}
	o := drive.Options{Scenario: c, Begin: begin, Writer: writer, Out: file}
	l, err := s.up(ctx, c, run, dir)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return drive.NotRun(o, err)
	}
	o.Cluster = l
	return errors.Join(drive.Run(ctx, o), l.Down())
}

// plain says that a run has no gang scheduler: the safety control.
func plain(c *scenario.Scenario, run string) bool {
	return run == timeline.Control && c.Spec.Control.Scheduler == scenario.DefaultScheduler
}

func (s *Suite) begin(c *scenario.Scenario, run string) (timeline.Begin, gang.Writer, error) {
	spec, err := json.Marshal(c)
	if err != nil {
		return timeline.Begin{}, gang.Writer{}, err
	}
	w := gang.Writer{Namespace: "gangctl-" + c.Metadata.Name, Scheduler: scenario.DefaultScheduler}
	binder := "kube-scheduler"
	if !plain(c, run) {
		g, b := s.Release.Gang(), s.Release.Backend.Spec
		w.Gang, w.Scheduler, binder = &g, b.SchedulerName, b.Scheduler
	}
	settle := c.Spec.Settle
	if settle == 0 {
		settle = scenario.DefaultSettle
	}
	return timeline.Begin{
		Run: run, Case: c.Metadata.Name, Backend: s.Release.Backend.Metadata.Name, Version: s.Release.Version,
		Kubernetes: s.Kubernetes, Scheduler: w.Scheduler, Binder: binder, Grouped: w.Grouped(),
		Settle: timeline.Time(settle.Scale(s.Patience)), Patience: s.Patience, Scenario: spec,
	}, w, nil
}

func (s *Suite) up(ctx context.Context, c *scenario.Scenario, run, dir string) (*lab.Lab, error) {
	s.starts <- struct{}{}
	defer func() { <-s.starts }()
	s.mu.Lock()
	s.labs++
	name := fmt.Sprintf("lab-%d", s.labs)
	s.mu.Unlock()
	o := lab.Options{
		Folder: s.Folder, Dir: filepath.Join(s.Folder.Path, name), Kubernetes: s.Kubernetes, Binaries: s.Binaries, Stages: s.Stages,
		Logs: func(component string) string {
			if run == timeline.Control {
				component = "control-" + component
			}
			return filepath.Join(dir, "components", component+".log")
		},
	}
	if !plain(c, run) {
		o.Release, o.Objects, o.CertManager = s.Release, s.Objects, s.CertManager
		o.ControlPlane = s.Release.Spec.ControlPlane
	}
	return lab.Up(ctx, o)
}

// join makes one file of a case's runs, the subject's first.
func join(dir string, runs []string) (string, error) {
	path := filepath.Join(dir, "timeline.jsonl")
	whole, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer whole.Close()
	for _, run := range runs {
		part := filepath.Join(dir, run+".jsonl")
		file, err := os.Open(part)
		if err != nil {
			return "", err
		}
		_, err = io.Copy(whole, file)
		if err = errors.Join(err, file.Close(), os.Remove(part)); err != nil {
			return "", err
		}
	}
	return path, nil
}
