package verdict

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// Judge reads a case's timeline and gives its verdict. A timeline that is cut off
// is Inconclusive; one that can't be read is an error that names the line.
func Judge(r io.Reader) (*Verdict, error) {
	v := &Verdict{}
	var spec *scenario.Scenario
	var run *judge
	runs := map[string]*judge{}
	err := timeline.Read(r, func(e timeline.Event) error {
		if b := e.Begin; b != nil {
			if b.Format != timeline.Format {
				return fmt.Errorf("format %q is not %q", b.Format, timeline.Format)
			}
			if runs[b.Run] != nil || (b.Run != timeline.Subject && b.Run != timeline.Control) {
				return fmt.Errorf("run %q: a timeline has one subject and one control", b.Run)
			}
			s := &scenario.Scenario{}
			if err := json.Unmarshal(b.Scenario, s); err != nil {
				return fmt.Errorf("scenario: %w", err)
			}
			if err := s.CheckExpectations(); err != nil {
				return fmt.Errorf("scenario: %w", err)
			}
			if b.Settle < 0 || b.Patience <= 0 {
				return fmt.Errorf("settle %s must not be negative, and patience %v must be above 0", b.Settle, b.Patience)
			}
			run = newJudge(*b, s)
			runs[b.Run] = run
			if spec == nil || b.Run == timeline.Subject {
				spec = s
				v.Case, v.Backend, v.Version, v.Kubernetes, v.Operator = b.Case, b.Backend, b.Version, b.Kubernetes, b.Operator
			}
			return nil
		}
		if run == nil {
			return errors.New("the first event must be begin")
		}
		return run.apply(e)
	})
	cut := errors.Is(err, timeline.ErrCutOff)
	if err != nil && !cut {
		return nil, err
	}
	subject, control := runs[timeline.Subject], runs[timeline.Control]
	if subject == nil {
		v.Outcome, v.Reason = Inconclusive, "the timeline is cut off before the run on the backend"
		return v, nil
	}
	v.Subject = subject.finish()
	v.Outcome, v.Reason = v.Subject.Outcome, v.Subject.Reason
	if v.Outcome == Inconclusive || v.Outcome == NotApplicable {
		return v, nil
	}
	if control == nil {
		v.Outcome, v.Reason = Inconclusive, "the timeline holds no control run"
		return v, nil
	}
	c := control.finish()
	v.Control = &c
	v.ControlReason = misbehaves(spec.Spec.Control, control, c)
	// What the backend did wrong is seen all the same: only a Pass needs its control.
	if v.ControlReason != "" && v.Outcome == Pass {
		v.Outcome, v.Reason = Inconclusive, "the control proves nothing: "+v.ControlReason
	}
	return v, nil
}

// judge folds one run.
type judge struct {
	begin timeline.Begin
	spec  *scenario.Scenario
	run   Run
	state *timeline.State

	ended         bool
	broken        []string // what broke around the test
	notApplicable string   // why the case can't be run here
	open          *openExpectation
	done          timeline.Step // the last that came to its end

	accounts map[string]*account      // by gang, while it lives
	follows  map[string]follow        // gangs whose group is to have another minimum soon
	partial  map[string]*partialTime  // of the gangs that are partly bound
	overdue  timeline.Time            // when the first of these has been so for the settle window
	boundAt  map[string]timeline.Time // by UID, of the pods that are there
	loads    map[string]*load         // by node
	holds    map[string]holds         // by pod UID
	flagged  map[string]bool          // violations that are reported once
	timed    []times                  // of gangs that were bound, in a case that measures speed

	partly          bool // run.Wrong is of a gang that was partly bound for too long
	intercepts, met int  // steps that refuse or hold up requests, and such requests
	stopped         bool
	afterStop       *BoundPod // the first
}

func newJudge(b timeline.Begin, s *scenario.Scenario) *judge {
	return &judge{
		begin: b, spec: s, state: timeline.NewState(),
		run:      Run{Scheduler: b.Scheduler},
		accounts: map[string]*account{}, follows: map[string]follow{}, partial: map[string]*partialTime{}, boundAt: map[string]timeline.Time{},
		loads: map[string]*load{}, holds: map[string]holds{}, flagged: map[string]bool{},
	}
}

func (j *judge) apply(e timeline.Event) error {
	if j.ended {
		return errors.New("an event follows the run's end")
	}
	if e.At < j.state.Now {
		return fmt.Errorf("time runs backwards, from %s to %s", j.state.Now, e.At)
	}
	// What was true up to now is accounted for before the state moves on.
	j.followed(e.At)
	j.checkOverdue(e.At)
	changed := false
	switch {
	case e.Gang != nil && e.Gang.Ended:
		j.closeGang(e.Gang.Name, e.At)
	case e.Pod != nil:
		changed = j.track(e.Pod, e.At)
	}
	j.state.Apply(e)
	switch {
	case e.Gang != nil && !e.Gang.Ended:
		j.meant(e.Gang, e.At)
	case e.Pod != nil:
		j.pod(e.Pod)
	case e.Node != nil:
		j.capacity(e.Node.Name)
	case e.Group != nil:
		j.group(e.Group)
	case e.Component != nil:
		if e.Component.State == timeline.Exited {
			j.broken = append(j.broken, fmt.Sprintf("%s exited by itself at %ss: %s", e.Component.Name, e.At, e.Component.Detail))
		}
		if e.Component.Name == j.begin.Binder {
			j.binder(e.Component.State)
		}
	case e.Met != nil:
		j.met++
	case e.Step != nil && e.Step.Done:
		j.done = *e.Step
	case e.Step != nil && e.Step.Op == "intercept":
		j.intercepts++
	case e.Denied != nil:
		j.run.Denied = append(j.run.Denied, *e.Denied)
	case e.Cut != nil:
		j.broken = append(j.broken, fmt.Sprintf("the watch of %s was cut at %ss: %s", e.Cut.What, e.At, e.Cut.Err))
	case e.End != nil:
		j.ended = true
		j.notApplicable = e.End.NotApplicable
		if e.End.Err != "" {
			j.broken = append(j.broken, e.End.Err)
		}
	}
	if e.Step != nil && e.Step.Op == "expect" {
		return j.expectStep(*e.Step)
	}
	if j.open != nil && e.Gang != nil {
		j.open.choose(j)
	}
	if j.open != nil && (changed || e.Gang != nil || e.Job != nil || !j.open.want.OfPods()) {
		j.open.look(j)
	}
	return nil
}

// finish closes what is open and gives the run's outcome.
func (j *judge) finish() Run {
	for _, name := range sortedKeys(j.accounts) {
		j.closeGang(name, j.state.Now)
	}
	r := &j.run
	r.Seconds = j.state.Now
	if j.spec.Spec.Alone {
		r.Timing = timing(j.timed)
	}
	if !j.ended {
		j.broken = append([]string{fmt.Sprintf("the timeline is cut off at %ss: the run has no end", j.state.Now)}, j.broken...)
	}
	var wrong []string
	for _, x := range r.Expectations {
		if !x.Met {
			wrong = append(wrong, fmt.Sprintf("step %d: %s: %s%s", x.Step, x.Text, x.Why, list(x.Bound)))
		}
	}
	for _, x := range r.Violations {
		wrong = append(wrong, fmt.Sprintf("%s: %s%s", x.Property, x.Detail, list(x.Bound)))
	}
	switch {
	case j.notApplicable != "":
		r.Outcome, r.Reason = NotApplicable, j.notApplicable
	case len(j.broken) > 0:
		r.Outcome, r.Reason = Inconclusive, strings.Join(j.broken, "; ")
	case len(wrong) > 0:
		r.Outcome, r.Reason = Fail, strings.Join(wrong, "; ")
		for _, d := range r.Denied {
			r.Reason += fmt.Sprintf("; forbidden: %s (%d times)", d, d.Count)
		}
	case j.intercepts > 0 && j.met == 0:
		r.Outcome, r.Reason = Inconclusive, "no request came that the case could refuse or hold up"
	case len(r.Expectations) == 0:
		r.Outcome, r.Reason = Inconclusive, "the run came to no expectation"
	case !j.through():
		r.Outcome, r.Reason = Inconclusive, fmt.Sprintf("the run ended behind step %d, before its last step, and nothing was wrong", j.done.Index)
	default:
		r.Outcome = Pass
	}
	return *r
}

// through says whether the run came to the end of its last step.
func (j *judge) through() bool {
	index, round := scenario.LastStep(j.spec.Spec.Steps)
	return j.done.Index == index && j.done.Round == round
}
