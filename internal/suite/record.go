package suite

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
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
	"github.com/gangctl/gangctl/internal/verdict"
)

// record runs one run of a case.
func (s *Suite) record(ctx context.Context, b *bench, j job) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	c, run := j.scenario, j.run
	var err error
	switch {
	case run == timeline.Control:
		c = c.Controlled()
	case s.Spoil != nil:
		if c, err = s.Spoil(c); err != nil {
			return err
		}
	}
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
	if kept != "" {
		j.kept = kept
	}
	file, err := os.Create(j.part(run))
	if err != nil {
		return err
	}
	defer file.Close()
	o := drive.Options{Scenario: c, Begin: begin, Out: file}
	if err := cmp.Or(s.lacks(c), writer.Check(c)); err != nil {
		return drive.NotApplicable(o, err)
	}
	if err := b.ready(ctx, j); err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return cause
		}
		return errors.Join(drive.NotRun(o, err), b.saveLogs(j))
	}
	if b.used {
		j.used.Store(run, true)
	}
	if s.Patience == 0 {
		o.Begin.Settle, o.Begin.Patience = timeline.Time(scenario.Duration(begin.Settle).Scale(b.slow)), b.slow
	}
	writer.Namespace = b.space(writer.Namespace)
	o.Cluster, o.Writer = b.lab, writer
	err = drive.Run(ctx, o)
	if run == timeline.Subject {
		err = errors.Join(err, saveRequests(b.lab, j.dir))
	}
	err = errors.Join(err, b.saveLogs(j))
	if c.Reinstalls() {
		return errors.Join(err, b.close())
	}
	return errors.Join(err, b.clear(ctx, writer))
}

// What a case's folder has.
const (
	// RequestsFile is what service accounts asked for.
	RequestsFile = "requests.yaml"
	// BeforeFile is the timeline of a case that was run again.
	BeforeFile = "before.jsonl"
	// VerdictFile is the verdict.
	VerdictFile = "verdict.yaml"
)

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
	w := gang.Writer{Namespace: "gangctl-" + c.Metadata.Name + "-" + run, Scheduler: scenario.DefaultScheduler, Backend: s.Release.SchedulerName()}
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
	var timeout timeline.Time
	if t := s.Release.Backend.Spec.Timeout; t != nil && !plain(c, run) {
		timeout = timeline.Time(t.Length.Duration)
	}
	return timeline.Begin{
		Run: run, Case: c.Metadata.Name, Backend: s.Release.Backend.Metadata.Name, Version: s.Release.Version,
		Kubernetes: s.Kubernetes, Scheduler: w.Scheduler, Binder: binder, Grouped: w.Grouped(), Joined: w.Gang != nil,
		Operator: s.Operator(),
		Settle:   timeline.Time(settle.Scale(patience)), Patience: patience, Timeout: timeout, Scenario: spec,
	}, w, nil
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

// labKey stands for what a lab of the suite is made of: a plain one, or the backend's.
// Which kinds of job an operator is asked for makes no difference.
func (s *Suite) labKey(plain bool) string {
	operator := ""
	if s.Pair != nil {
		operator = s.Pair.Operator.String()
	}
	if plain {
		return s.Kubernetes + " " + operator
	}
	return s.Kubernetes + " " + operator + " " + s.Release.String()
}

// Lab is what a lab with the backend is made of. It has a folder of its own below
// the run's; logs says where each component's log goes.
func (s *Suite) Lab(logs func(component string) string) lab.Options {
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
		Folder: s.Labs.Folder, Dir: filepath.Join(s.Labs.Folder.Path, s.Labs.name()), Logs: logs,
		Kubernetes: s.Kubernetes, Binaries: s.Binaries, Stages: s.Stages, Flags: s.Flags, ControlPlane: s.controlPlane(),
		Bundle: b, Others: s.others(b), Verifier: s.Verifier,
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

// log is the file of a component's log, in a folder that is made.
func (j job) log(name string) (string, error) {
	dir := filepath.Join(j.dir, "components")
	if j.run == timeline.Control {
		name = "control-" + name
	}
	return filepath.Join(dir, name), os.MkdirAll(dir, 0o755)
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
