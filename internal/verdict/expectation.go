package verdict

import (
	"fmt"
	"strings"
	"time"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// openExpectation is an expect step between its begin and its end.
//
// Within a deadline it must become true; for a time it must then stay true. The
// driver ends the step when either is decided, so the judge looks at each event
// in between and at the end.
type openExpectation struct {
	step   timeline.Step
	want   *scenario.Expect
	gangs  []*timeline.GangState // that it is about
	begun  timeline.Time
	met    bool          // it has become true
	since  timeline.Time // when
	failed *Expectation
}

func (j *judge) expectStep(s timeline.Step) error {
	if !s.Done {
		want, err := expectAt(j.spec.Spec.Steps, s.Index)
		if err != nil {
			return err
		}
		j.open = &openExpectation{step: s, want: want, begun: j.state.Now}
		j.open.choose(j)
		j.open.look(j)
		return nil
	}
	o := j.open
	if o == nil || o.step.Index != s.Index {
		return fmt.Errorf("step %d ends and had not begun", s.Index)
	}
	j.open = nil
	x := o.result(j)
	j.run.Expectations = append(j.run.Expectations, x)
	return nil
}

// choose finds the gangs anew, when one has come or ended.
func (o *openExpectation) choose(j *judge) { o.gangs = scenario.Select(j.state, o.want.Gang) }

// look evaluates the expectation at the present state.
func (o *openExpectation) look(j *judge) {
	if o.failed != nil {
		return
	}
	ok, why := o.want.MetBy(j.state, o.gangs)
	within := o.want.Within.Scale(j.begin.Patience)
	switch {
	case ok && !o.met:
		if within > 0 && j.state.Now-o.begun > timeline.Time(within)+tolerance {
			o.fail(j, fmt.Sprintf("met only after %ss", j.state.Now-o.begun))
			return
		}
		o.met, o.since = true, j.state.Now
	case !ok && o.met:
		// It had to stay true for its time; what comes behind that is no matter.
		if o.want.AtEnd() || j.state.Now-o.since < o.hold(j) {
			o.fail(j, why)
		}
	case !ok && within == 0:
		o.fail(j, why)
	}
}

// hold is how long it must stay so.
func (o *openExpectation) hold(j *judge) timeline.Time {
	return timeline.Time(o.want.Hold(j.begin.Patience, time.Duration(j.begin.Timeout)))
}

// tolerance is the room between a deadline's passing and the driver's noticing:
// the driver decides on the same clock, but a step's end is an event after it.
const tolerance = timeline.Time(50e6)

func (o *openExpectation) fail(j *judge, why string) {
	j.wrong(j.state.Now, false)
	o.failed = &Expectation{At: j.state.Now, Why: why, Bound: j.boundFor(o.want)}
}

func (o *openExpectation) result(j *judge) Expectation {
	x := Expectation{At: j.state.Now}
	switch {
	case o.failed != nil:
		x = *o.failed
	case !o.met:
		j.wrong(j.state.Now, false)
		_, x.Why = o.want.MetBy(j.state, o.gangs)
		if o.want.OfPods() || o.want.Finished {
			x.Why += j.waitsFor(o.want.Gang) + j.roomFor(o.want)
		}
		x.Bound = j.boundFor(o.want)
	case j.state.Now-o.since+tolerance < o.hold(j):
		x.Why = fmt.Sprintf("watched for only %ss", j.state.Now-o.since)
	default:
		x.Met, x.At = true, o.since
	}
	x.Step, x.Round, x.Text = o.step.Index, o.step.Round, o.want.String()
	return x
}

// expectAt finds an expect step by its index, which counts through repeated blocks.
func expectAt(steps []scenario.Step, index int) (*scenario.Expect, error) {
	s := scenario.StepAt(steps, index)
	if s == nil || s.Expect == nil {
		return nil, fmt.Errorf("step %d is no expect step of the scenario", index)
	}
	return s.Expect, nil
}

// waitsFor says what the scheduler said of the first pod that waits.
func (j *judge) waitsFor(glob string) string {
	for _, g := range scenario.Select(j.state, glob) {
		for _, p := range g.Sorted() {
			switch {
			case !waits(p):
			case p.Why == "":
				return fmt.Sprintf("; no scheduler has said anything of %s, which asks for %s", p.Name, p.Scheduler)
			default:
				return fmt.Sprintf("; %s waits: %s", p.Name, strings.ReplaceAll(p.Why, "; ", ", "))
			}
		}
	}
	return ""
}

// boundFor are the bound pods of the gangs that an expectation is about, if it is about pods.
func (j *judge) boundFor(e *scenario.Expect) []BoundPod {
	if !e.OfPods() && !e.Finished {
		return nil
	}
	var found []BoundPod
	for _, g := range scenario.Select(j.state, e.Gang) {
		found = append(found, j.boundPods(g)...)
	}
	return found
}

func (j *judge) boundPods(g *timeline.GangState) []BoundPod {
	var found []BoundPod
	for _, p := range g.Sorted() {
		if p.Bound() {
			found = append(found, BoundPod{Gang: g.Name, Pod: p.Name, Node: p.Node, At: j.boundAt[p.UID]})
		}
	}
	return found
}

// list writes at most eight bound pods behind a sentence.
func list(pods []BoundPod) string {
	var parts []string
	for _, p := range pods {
		parts = append(parts, fmt.Sprintf("%s on %s at %ss", p.Pod, p.Node, p.At))
	}
	if len(parts) == 0 {
		return ""
	}
	return ": " + AtMostEight(parts)
}

// AtMostEight joins the parts, and counts those that it leaves out.
func AtMostEight(parts []string) string {
	if more := len(parts) - 8; more > 0 {
		parts = append(parts[:8:8], fmt.Sprintf("and %d more", more))
	}
	return strings.Join(parts, ", ")
}
