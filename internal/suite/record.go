package suite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"sigs.k8s.io/yaml"

	"github.com/gangctl/gangctl/internal/cluster/lab"
	"github.com/gangctl/gangctl/internal/drive"
	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// record runs one run of a case in a lab of its own.
func (s *Suite) record(ctx context.Context, c *scenario.Scenario, run, dir string) error {
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
	if err := writer.Check(c); err != nil {
		return drive.NotApplicable(o, err)
	}
	l, err := s.up(ctx, c, run, dir)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return drive.NotRun(o, err)
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
	return timeline.Begin{
		Run: run, Case: c.Metadata.Name, Backend: s.Release.Backend.Metadata.Name, Version: s.Release.Version,
		Kubernetes: s.Kubernetes, Scheduler: w.Scheduler, Binder: binder, Grouped: w.Grouped(), Joined: w.Gang != nil,
		Operator: s.Operator(),
		Settle:   timeline.Time(settle.Scale(s.Patience)), Patience: s.Patience, Scenario: spec,
	}, w, nil
}

func (s *Suite) up(ctx context.Context, c *scenario.Scenario, run, dir string) (*lab.Lab, error) {
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
	return lab.Up(ctx, o)
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

// join makes one file of a case's runs, the subject's first.
func join(dir string) (string, error) {
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
