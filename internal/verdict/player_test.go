package verdict

import (
	"time"

	"pgregory.net/rapid"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// player draws the events of a history one by one.
type player struct {
	*rapid.T
	h     *history
	ticks []time.Duration
	now   timeline.Time
	gangs map[string]timeline.Gang // alive
	pods  []*timeline.Pod          // that are there
	uid   int
	step  *timeline.Step // under way
	tidy  bool           // nothing breaks, and nodes are large
	still bool           // and nothing is bound

	likely bool // expectations are such that are mostly met
	missed bool // expectations are of a gang that is mostly not bound in time
}

// seconds are the usual times between two events: many fall together, and many come to
// just the settle window of three seconds, or to just a deadline.
var seconds = []time.Duration{0, 0, time.Second, time.Second, 2 * time.Second, 3 * time.Second}

// moods say of a run whether anything may happen in it, or only what is right, or what is
// right while the scheduler is stopped. Further ones are about one gang, or about nodes that
// are full.
var moods = []string{"wild", "wild", "tidy", "stopped"}

// drawHistory draws a run of one of the moods.
func drawHistory(t *rapid.T, ticks []time.Duration, moods ...string) *history {
	p := &player{T: t, h: &history{}, ticks: ticks, gangs: map[string]timeline.Gang{}}
	p.h.begin = timeline.Begin{
		Format: timeline.Format, Run: timeline.Subject, Case: "toy", Backend: "b", Version: "v1.0.0", Kubernetes: "v1.34.4",
		Scheduler: "s", Binder: "binder", Settle: timeline.Time(3 * time.Second),
		Patience: rapid.SampledFrom([]float64{1, 1, 2}).Draw(t, "patience"),
		Grouped:  rapid.Bool().Draw(t, "grouped"), Joined: rapid.Bool().Draw(t, "joined"),
		Operator: rapid.SampledFrom([]string{"", "op@v1.0.0/TFJob"}).Draw(t, "operator"),
	}
	actions := []func(){
		p.addNode, p.submit, p.submit, p.addPod, p.change, p.change, p.change, p.beginStep, p.beginStep, p.endStep, p.endStep,
	}
	rare := []func(){p.group, p.endGang, p.stranger, p.around, p.dropNode}
	binds := []func(){p.bind, p.bind, p.bind, p.bind}
	switch rapid.SampledFrom(moods).Draw(t, "mood") {
	case "tidy":
		p.tidy, p.likely, rare = true, true, []func(){p.endGang, p.stranger}
		binds = []func(){p.bindAll, p.bindAll}
	case "stopped":
		p.tidy, p.still, rare, binds = true, true, []func(){p.stranger}, nil
		if rapid.IntRange(0, 3).Draw(t, "bound after all") == 0 {
			rare = append(rare, p.bind)
		}
		p.add(timeline.Event{Component: &timeline.Component{Name: "binder", State: timeline.Stopped}})
	case "about one gang":
		p.tidy, rare = true, []func(){p.bind}
		actions = []func(){p.change, p.change, p.change, p.beginStep, p.beginStep, p.endStep}
	case "full":
		p.still, p.missed = true, true
		p.addNode()
		p.addNode()
		actions = []func(){p.stranger, p.addPod, p.change, p.change, p.beginStep, p.beginStep, p.endStep}
		binds = []func(){p.bind}
	}
	actions = append(actions, binds...)
	p.h.spec = p.drawSpec()
	if p.tidy || p.still {
		p.submitGang("a")
	}
	for range rapid.IntRange(0, 40).Draw(t, "actions") {
		from := actions
		if rapid.IntRange(0, 4).Draw(t, "rare") == 0 {
			from = rare
		}
		rapid.SampledFrom(from).Draw(t, "action")()
	}
	switch rapid.IntRange(0, 9).Draw(t, "ends") {
	case 0: // it is cut off
	case 1: // it ends before its last step
		p.endStep()
		p.add(timeline.Event{End: &timeline.End{}})
	default:
		if p.tidy && p.step == nil {
			p.step = &timeline.Step{Index: firstExpect, Op: "expect"}
			now := *p.step
			p.add(timeline.Event{Step: &now})
		}
		p.endStep()
		p.step = &timeline.Step{Index: otherSteps + len(others) - 1, Op: "wait", Done: true}
		p.add(timeline.Event{Step: p.step})
		p.add(timeline.Event{End: &timeline.End{}})
	}
	return p.h
}

func (p *player) drawSpec() scenario.Spec {
	role := []scenario.Role{{Name: "worker", Count: 3, GPUs: 1}}
	spec := scenario.Spec{
		Alone: true,
		Steps: []scenario.Step{
			{Submit: &scenario.Submit{Gang: "a", Roles: role}},
			{Submit: &scenario.Submit{Gang: "b", Roles: role, Ungrouped: rapid.IntRange(0, 3).Draw(p.T, "ungrouped") == 0}},
			{Submit: &scenario.Submit{Gang: "c", Copies: 2, Roles: role}},
		},
		Control: scenario.Control{Scheduler: scenario.StoppedScheduler},
	}
	for range lastExpect - firstExpect + 1 {
		spec.Steps = append(spec.Steps, scenario.Step{Expect: p.drawExpect()})
	}
	return scenario.Spec{Alone: true, Control: spec.Control, Steps: append(spec.Steps,
		scenario.Step{Delete: &scenario.Delete{Gang: "a"}}, scenario.Step{Drain: &scenario.Drain{}}, scenario.Step{Finish: &scenario.Finish{Gang: "a"}},
		scenario.Step{Nodes: &scenario.Nodes{Remove: 1}}, scenario.Step{Intercept: &scenario.Intercept{}}, scenario.Step{Wait: &scenario.Wait{}},
	)}
}

func (p *player) drawExpect() *scenario.Expect {
	e := &scenario.Expect{Gang: rapid.SampledFrom([]string{"a", "a", "*", "c-*"}).Draw(p.T, "glob")}
	n := rapid.IntRange(0, 2).Draw(p.T, "n")
	kinds := []string{"none", "all", "all-or-none", "count", "roles", "whole", "evicted"}
	if p.likely { // what is likely, or in a control unlikely
		kinds = []string{"all-or-none", "evicted"}
	}
	if p.still {
		kinds = []string{"all", "whole"}
	}
	switch rapid.SampledFrom(kinds).Draw(p.T, "what") {
	case "none":
		e.Bound = &scenario.Bound{Word: "none"}
	case "all":
		e.Bound = &scenario.Bound{Word: "all"}
	case "all-or-none":
		e.Bound = &scenario.Bound{Word: "all-or-none"}
	case "count":
		e.Bound = &scenario.Bound{Count: n}
	case "roles":
		e.Bound = &scenario.Bound{Roles: map[string]int{"worker": n}}
	case "whole":
		e.Whole = &n
	case "evicted":
		e.Evicted = &n
	}
	e.Within = scenario.Duration(rapid.IntRange(0, 2).Draw(p.T, "within")) * scenario.Duration(time.Second)
	e.For = scenario.Duration(rapid.IntRange(0, 3).Draw(p.T, "for")) * scenario.Duration(time.Second)
	if p.missed {
		e.Gang, e.Within = "a", scenario.Duration(time.Second)
	}
	if e.Within+e.For == 0 {
		e.For = scenario.Duration(time.Second)
	}
	return e
}

func (p *player) add(e timeline.Event) {
	p.now += timeline.Time(rapid.SampledFrom(p.ticks).Draw(p.T, "tick"))
	e.At = p.now
	p.h.events = append(p.h.events, e)
}

func (p *player) group() {
	p.add(timeline.Event{Group: &timeline.Group{
		Name: rapid.SampledFrom(append([]string{"podgroup-1"}, gangNames...)).Draw(p.T, "group"),
		Min:  int64(rapid.IntRange(1, 3).Draw(p.T, "min")), Gone: rapid.IntRange(0, 3).Draw(p.T, "gone") == 0,
	}})
}

func (p *player) beginStep() {
	if p.step != nil {
		return
	}
	p.step = &timeline.Step{}
	if rapid.IntRange(0, 2).Draw(p.T, "expect") > 0 {
		p.step.Index, p.step.Op = rapid.IntRange(firstExpect, lastExpect).Draw(p.T, "step"), "expect"
	} else {
		i := rapid.IntRange(0, len(others)-1).Draw(p.T, "step")
		p.step.Index, p.step.Op = otherSteps+i, others[i]
	}
	now := *p.step
	p.add(timeline.Event{Step: &now})
}

func (p *player) endStep() {
	if p.step == nil {
		return
	}
	done := *p.step
	done.Done, p.step = true, nil
	p.add(timeline.Event{Step: &done})
}

// around is what may happen beside the test.
func (p *player) around() {
	p.add(rapid.SampledFrom([]timeline.Event{
		{Component: &timeline.Component{Name: "binder", State: timeline.Stopped}},
		{Component: &timeline.Component{Name: "binder", State: timeline.Started}},
		{Component: &timeline.Component{Name: "binder", State: timeline.Exited}},
		{Met: &timeline.Met{Verb: "create"}},
		{Cut: &timeline.Cut{What: "pods", Err: "gone"}},
		{Denied: &timeline.Denied{User: "u", Verb: "get", Resource: "pods", Count: 1}},
	}).Draw(p.T, "around"))
}
