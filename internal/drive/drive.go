// Package drive runs a scenario's steps on a cluster. It waits on what the
// recorder has seen, and decides nothing: the judge does, from the timeline.
//
// Each operation has a file of its own.
package drive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/cluster"
	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/observe"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// Options are one run of a case.
type Options struct {
	Cluster  cluster.Cluster
	Scenario *scenario.Scenario
	// Begin says what is run on what.
	Begin timeline.Begin
	// Writer makes the gangs' objects.
	Writer gang.Writer
	// Out receives the timeline.
	Out io.Writer
}

// driver is a run under way.
type driver struct {
	Options
	rec     *observe.Recorder
	client  dynamic.Interface
	kube    kubernetes.Interface
	created map[string]*unstructured.Unstructured // pods as they were submitted, by name
	jobs    map[string]*scenario.Submit           // gangs that are jobs, as they are now

	makers map[string]catalog.ObjectKind // of what makes the pods of gangs, by gang

	nodes   int
	shut    map[string]shut                         // nodes that are to take no pods
	groups  map[string]*unstructured.Unstructured   // gangs' group objects, as they were submitted
	lacking map[string][]*unstructured.Unstructured // what gangs are to get later
	hooks   []*hook                                 // that intercept requests
	index   int                                     // of the step
	round   int
	stopped bool // the control's scheduler
	spoiled bool // the control has done what it does besides

	told      map[timeline.Denied]int // what of a request is recorded already
	endGroups context.CancelFunc      // ends the watch of groups

	priorities []string // PriorityClasses that the run has made
	undo       []func(context.Context) error
}

// errUnmet ends a run whose expectation was not met.
var errUnmet = errors.New("the expectation was not met")

// Run runs the case and writes its timeline. An error means that the timeline
// itself could not be written; all else is in it.
func Run(ctx context.Context, o Options) error {
	rec := observe.New(o.Out, o.Begin)
	d := &driver{Options: o, rec: rec, created: map[string]*unstructured.Unstructured{}, jobs: map[string]*scenario.Submit{}, makers: map[string]catalog.ObjectKind{},
		told: map[timeline.Denied]int{}, shut: map[string]shut{}, groups: map[string]*unstructured.Unstructured{}, lacking: map[string][]*unstructured.Unstructured{}}
	err := d.run(ctx)
	end := timeline.End{}
	var impossible notApplicable
	if errors.As(err, &impossible) {
		end.NotApplicable = impossible.Error()
	} else if err != nil && !errors.Is(err, errUnmet) && !errors.Is(err, errExited) {
		end.Err = err.Error()
	}
	return rec.Close(end)
}

// errExited ends a run when a component dies by itself; the timeline says which.
var errExited = errors.New("a component exited")

func (d *driver) run(ctx context.Context) (err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	d.Cluster.Watch(func(c timeline.Component) {
		d.rec.Record(timeline.Event{Component: &c})
		if c.State == timeline.Exited {
			cancel(errExited)
		}
	})
	if d.client, err = dynamic.NewForConfig(d.Cluster.Config()); err != nil {
		return err
	}
	if d.kube, err = kubernetes.NewForConfig(d.Cluster.Config()); err != nil {
		return err
	}
	// 1. The watches are open before anything is created.
	told := false
	for s := range scenario.Each(d.Scenario.Spec.Steps) {
		told = told || s.Expect != nil && s.Expect.Told != ""
	}
	if err := d.rec.Watch(ctx, d.Cluster.Config(), d.Writer.Gang, d.Writer.Job); err != nil {
		return err
	}
	if told {
		if err := d.rec.WatchEvents(ctx, d.Cluster.Config()); err != nil {
			return err
		}
	}
	if err := d.watchGroups(ctx); err != nil {
		return err
	}
	// 2. A namespace with a ServiceAccount for its pods.
	if err := d.prepare(ctx); err != nil {
		return err
	}
	// 3. The steps, until one fails.
	err = d.steps(ctx, d.Scenario.Spec.Steps)
	if tidyErr := d.tidy(ctx); err == nil {
		err = tidyErr
	}
	// 4. What the API server refused on the way.
	if auditErr := d.recordDenied(); err == nil {
		err = auditErr
	}
	return err
}

// atEnd has something undone when the run ends, however it does.
func (d *driver) atEnd(undo func(context.Context) error) { d.undo = append(d.undo, undo) }

// tidy takes away what is in no namespace, the latest first, also of a run that was
// interrupted.
func (d *driver) tidy(ctx context.Context) error {
	ctx, cancel := d.bounded(context.WithoutCancel(ctx))
	defer cancel()
	var errs []error
	for _, undo := range slices.Backward(d.undo) {
		errs = append(errs, undo(ctx))
	}
	return errors.Join(errs...)
}

func (d *driver) steps(ctx context.Context, steps []scenario.Step) error {
	for i := range steps {
		d.index++
		s := &steps[i]
		if err := d.stopForControl(ctx, s); err != nil {
			return err
		}
		if s.Repeat != nil {
			if err := d.repeat(ctx, s.Repeat); err != nil {
				return err
			}
			continue
		}
		if err := d.step(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

func (d *driver) repeat(ctx context.Context, r *scenario.Repeat) error {
	first := d.index
	for d.round = 1; d.round <= r.Times; d.round++ {
		d.index = first
		if err := d.steps(ctx, r.Steps); err != nil {
			return err
		}
	}
	d.round = 0
	return nil
}

func (d *driver) step(ctx context.Context, s *scenario.Step) error {
	name, op := s.Op()
	mark := timeline.Step{Index: d.index, Round: d.round, Op: name, Text: op.String()}
	begin := mark
	d.spoiled = d.spoiled || s.Name == scenario.DoesStep
	d.rec.Record(timeline.Event{Step: &begin})
	err := d.operate(ctx, s)
	if err != nil && !errors.Is(err, errUnmet) {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		if !errors.Is(err, errExited) {
			err = fmt.Errorf("step %d, %s: %w", d.index, name, err)
		}
	}
	mark.Done = true
	d.rec.Record(timeline.Event{Step: &mark})
	return err
}

func (d *driver) operate(ctx context.Context, s *scenario.Step) error {
	switch {
	case s.Nodes != nil:
		return d.doNodes(ctx, d.scaledNodes(s.Nodes))
	case s.Change != nil:
		return d.doChange(ctx, s.Change)
	case s.Drain != nil:
		return d.doDrain(ctx, s.Drain)
	case s.Quota != nil:
		return d.doQuota(ctx, s.Quota)
	case s.Topology != nil:
		return d.doTopology(ctx, s.Topology)
	case s.Queue != nil:
		return d.doQueue(ctx, s.Queue)
	case s.Submit != nil:
		return d.doSubmit(ctx, d.scaledSubmit(s.Submit))
	case s.Complete != nil:
		return d.doComplete(ctx, s.Complete)
	case s.Expect != nil:
		return d.doExpect(ctx, s.Expect)
	case s.Scale != nil:
		return d.doScale(ctx, s.Scale)
	case s.Suspend != nil:
		return d.doSuspend(ctx, s.Suspend)
	case s.Finish != nil:
		return d.doFinish(ctx, s.Finish)
	case s.Delete != nil:
		return d.doDelete(ctx, s.Delete)
	case s.Kill != nil:
		return d.doKill(ctx, s.Kill)
	case s.Pause != nil:
		return d.doPause(ctx, s.Pause)
	case s.Intercept != nil:
		return d.doIntercept(ctx, s.Intercept)
	case s.Sync != nil:
		return d.doSync(ctx, s.Sync)
	case s.Uninstall != nil:
		return d.doUninstall(ctx)
	case s.Enforce != nil:
		return d.doEnforce(ctx, s.Enforce)
	case s.Break != nil:
		return d.doBreak(ctx, s.Break)
	case s.Wait != nil:
		return pause(ctx, s.Wait.For.Scale(d.Begin.Patience))
	}
	return fmt.Errorf("no such operation")
}

// stopForControl takes the scheduler away where a liveness control says so.
func (d *driver) stopForControl(ctx context.Context, s *scenario.Step) error {
	c := d.Scenario.Spec.Control
	if d.Begin.Run != timeline.Control || c.Scheduler != scenario.StoppedScheduler || d.stopped || s.Name != c.Before && c.Before != "" {
		return nil
	}
	d.stopped = true
	return d.Cluster.Stop(ctx, "scheduler")
}

// scaledNodes and scaledSubmit are what a control has of a step.
func (d *driver) scaledNodes(n *scenario.Nodes) *scenario.Nodes {
	if d.Begin.Run != timeline.Control {
		return n
	}
	part := *n
	part.Add, part.Remove = d.Scenario.Spec.Control.Scaled(n.Add), d.Scenario.Spec.Control.Scaled(n.Remove)
	return &part
}

func (d *driver) scaledSubmit(s *scenario.Submit) *scenario.Submit {
	if d.Begin.Run != timeline.Control {
		return s
	}
	part := *s
	part.Copies = d.Scenario.Spec.Control.Scaled(s.Copies)
	return &part
}

// dryRun asks what would be, and changes nothing.
var dryRun = metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}

var (
	pods            = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
	priorityClasses = schema.GroupVersionResource{Group: "scheduling.k8s.io", Version: "v1", Resource: "priorityclasses"}
)

func (d *driver) pods() dynamic.ResourceInterface {
	return d.client.Resource(pods).Namespace(d.Writer.Namespace)
}

// NotApplicable writes the timeline of a case that can't be run here.
func NotApplicable(o Options, why error) error {
	return observe.New(o.Out, o.Begin).Close(timeline.End{NotApplicable: why.Error()})
}

// NotRun writes the timeline of a run that could not begin.
func NotRun(o Options, why error) error {
	return observe.New(o.Out, o.Begin).Close(timeline.End{Err: why.Error()})
}
