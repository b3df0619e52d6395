package suite

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/gangctl/gangctl/internal/cluster/lab"
	"github.com/gangctl/gangctl/internal/drive"
	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
	"github.com/gangctl/gangctl/internal/verdict"
)

// record runs one run of a case in a lab of its own.
func (s *Suite) record(ctx context.Context, j job) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	c, run, dir := j.scenario, j.run, j.dir
	begin, writer, err := s.begin(c, run)
	if err != nil {
		return err
	}
	kept, err := s.keptControl(c, run, writer)
	if err != nil {
		return err
	}
	if taken, err := s.takeControl(kept, begin, j.part(run)); taken || err != nil {
		return err
	}
	file, err := os.Create(j.part(run))
	if err != nil {
		return err
	}
	defer file.Close()
	if run == timeline.Control {
		j.kept = kept
	}
	o := drive.Options{Scenario: c, Begin: begin, Writer: writer, Out: file}
	if err := writer.Check(c); err != nil {
		return drive.NotApplicable(o, err)
	}
	l, took, err := s.up(ctx, c, run, dir)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return drive.NotRun(o, err)
	}
	if slow := slowness(took); slow > 1 {
		s.slots.starved()
		if s.Patience == 0 {
			o.Begin.Settle, o.Begin.Patience = timeline.Time(scenario.Duration(begin.Settle).Scale(slow)), slow
		}
	}
	o.Cluster = l
	err = drive.Run(ctx, o)
	if run == timeline.Subject {
		err = errors.Join(err, saveRequests(l, dir))
	}
	return errors.Join(err, l.Down())
}

// RequestsFile is where a case's folder has what service accounts asked for.
const RequestsFile = "requests.yaml"

func saveRequests(l *lab.Lab, dir string) error {
	asked, err := l.Requests()
	if err != nil {
		return err
	}
	text, err := yaml.Marshal(asked)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, RequestsFile), text, 0o644)
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
	w := gang.Writer{Namespace: "gangctl-" + c.Metadata.Name, Scheduler: scenario.DefaultScheduler, Backend: s.Release.SchedulerName()}
	binder := "kube-scheduler"
	if !plain(c, run) {
		g := s.Release.Gang()
		w.Gang, w.Scheduler, binder = &g, s.Release.SchedulerName(), s.Release.Backend.Spec.Scheduler
	}
	if s.Pair != nil {
		w.Job = s.Pair.Job
		if !plain(c, run) {
			w.Fields = s.Pair.Fields
		}
	}
	settle := c.Spec.Settle
	if settle == 0 {
		settle = scenario.DefaultSettle
	}
	patience := cmp.Or(s.Patience, 1)
	return timeline.Begin{
		Run: run, Case: c.Metadata.Name, Backend: s.Release.Backend.Metadata.Name, Version: s.Release.Version,
		Kubernetes: s.Kubernetes, Scheduler: w.Scheduler, Binder: binder, Grouped: w.Grouped(), Joined: w.Gang != nil,
		Operator: s.Operator(),
		Settle:   timeline.Time(settle.Scale(patience)), Patience: patience, Scenario: spec,
	}, w, nil
}

// up starts a lab, and says how long that took.
func (s *Suite) up(ctx context.Context, c *scenario.Scenario, run, dir string) (*lab.Lab, time.Duration, error) {
	s.starts <- struct{}{}
	defer func() { <-s.starts }()
	o := s.Lab(func(component string) string {
		if run == timeline.Control {
			component = "control-" + component
		}
		return filepath.Join(dir, "components", component+".log")
	})
	if plain(c, run) {
		o.ControlPlane, o.Bundle = nil, s.off()
	}
	began := time.Now()
	l, err := lab.Up(ctx, o)
	return l, time.Since(began), err
}

// off is what a safety control installs: no gang scheduler, and the operator without
// its word on one.
func (s *Suite) off() *lab.Bundle {
	if s.Pair == nil {
		return nil
	}
	return &lab.Bundle{
		Name: s.Pair.Operator.String(), Objects: s.Off, CertManager: s.CertManager, Processes: s.Pair.Operator.Spec.Processes,
		Job: s.Pair.Job,
	}
}

// Lab is what a lab with the backend is made of. It has a folder of its own below
// the run's; logs says where each component's log goes.
func (s *Suite) Lab(logs func(component string) string) lab.Options {
	s.mu.Lock()
	s.labs++
	name := fmt.Sprintf("lab-%d", s.labs)
	s.mu.Unlock()
	way := s.Release.Gang()
	b := &lab.Bundle{
		Name: s.Release.String(), Objects: s.Objects, CertManager: s.CertManager, Processes: s.Release.Spec.Processes,
		Gang: &way, Scheduler: s.Release.Backend.Spec.Scheduler, Replaces: s.Release.Replaces(),
	}
	if s.Pair != nil {
		b.Name, b.Job = s.String(), s.Pair.Job
		b.Processes = slices.Concat(b.Processes, s.Pair.Operator.Spec.Processes)
	}
	return lab.Options{
		Folder: s.Folder, Dir: filepath.Join(s.Folder.Path, name), Logs: logs,
		Kubernetes: s.Kubernetes, Binaries: s.Binaries, Stages: s.Stages, Flags: s.Flags, ControlPlane: s.controlPlane(),
		Bundle: b, Verifier: s.Verifier,
	}
}

// controlPlane are the release's flags of the lab's components, and the suite's.
func (s *Suite) controlPlane() map[string][]string {
	all := maps.Clone(s.Release.Spec.ControlPlane)
	for component, flags := range s.ControlPlane {
		if all == nil {
			all = map[string][]string{}
		}
		all[component] = slices.Concat(all[component], flags)
	}
	return all
}

// part is the file that a run is recorded in.
func (p *pending) part(run string) string { return filepath.Join(p.dir, run+".jsonl") }

// join makes one file of a case's runs, the subject's first.
func (p *pending) join() (string, error) {
	path := filepath.Join(p.dir, "timeline.jsonl")
	whole, err := os.Create(path)
	if err != nil {
		return "", err
	}
	defer whole.Close()
	for _, run := range runs {
		file, err := os.Open(p.part(run))
		if err != nil {
			return "", err
		}
		_, err = io.Copy(whole, file)
		if err = errors.Join(err, file.Close()); err != nil {
			return "", err
		}
	}
	return path, nil
}

// tidy removes the parts, or keeps the control for other suites.
func (p *pending) tidy(v *verdict.Verdict) error {
	if err := keepControl(p.part(timeline.Control), p.kept, v); err != nil {
		return err
	}
	for _, run := range runs {
		if err := os.Remove(p.part(run)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
