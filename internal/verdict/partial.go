package verdict

import (
	"fmt"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// partialTime is a time in which a gang is partly bound.
type partialTime struct {
	gang    string
	from    timeline.Time
	since   timeline.Time // when it came to have what it has now
	idle    timeline.Time // GPU-seconds, up to then
	longest stretch
	locked  []*partialTime // those that it was reported in a deadlock with
}

// stretch is a time in which a gang has one and the same.
type stretch struct {
	lasted timeline.Time
	pods   int
	gpus   int64
	bound  []BoundPod
}

// holding is what a gang's pods come to: how many are bound, and the GPUs that they hold.
type holding struct {
	bound int
	gpus  int64
}

// weigh is what one pod adds to it. Nil is no pod.
func weigh(p *timeline.Pod) holding {
	var h holding
	if p == nil || p.Gone {
		return h
	}
	if p.Bound() {
		h.bound = 1
	}
	if p.Holds() {
		h.gpus = p.Requests[timeline.GPU]
	}
	return h
}

// track follows what a gang has, before the state moves past the event of a pod. It says
// whether that changes.
func (j *judge) track(pod *timeline.Pod, at timeline.Time) bool {
	gang := pod.Gang
	g := j.state.Gangs[gang]
	if g == nil || j.state.Others[pod.UID] != nil {
		return false
	}
	before, after := weigh(g.Pods[pod.UID]), weigh(pod)
	if before == after {
		return false
	}
	p := j.partial[gang]
	if p != nil {
		j.turn(p, at)
	}
	a := j.accounts[gang]
	a.has.bound += after.bound - before.bound
	a.has.gpus += after.gpus - before.gpus
	j.reckon(gang, at)
	return true
}

// reckon begins or ends the time in which a gang is partly bound, by what it has now.
func (j *judge) reckon(gang string, at timeline.Time) {
	a, p := j.accounts[gang], j.partial[gang]
	switch partly := a.has.bound > 0 && a.has.bound < a.min; {
	case partly && p == nil:
		j.partial[gang] = &partialTime{gang: gang, from: at, since: at}
		j.findOverdue()
	case !partly && p != nil:
		j.closePartial(p, at)
	}
}

// turn ends a stretch of a partial time.
func (j *judge) turn(p *partialTime, at timeline.Time) {
	p.longest = j.forTheMostPart(p, at)
	idle := timeline.Time(int64(at-p.since) * j.accounts[p.gang].has.gpus)
	p.idle += idle
	j.run.IdleGPUSeconds += idle
	p.since = at
}

// forTheMostPart is the stretch that lasted longest, up to a moment; of several the first.
func (j *judge) forTheMostPart(p *partialTime, at timeline.Time) stretch {
	if at-p.since <= p.longest.lasted {
		return p.longest
	}
	has := j.accounts[p.gang].has
	return stretch{lasted: at - p.since, pods: has.bound, gpus: has.gpus, bound: j.boundPods(j.state.Gangs[p.gang])}
}

// closePartial ends a time of partial binding, after its last stretch. It is entered into
// the ledger, and is a violation, where it outlasted the settle window.
func (j *judge) closePartial(p *partialTime, at timeline.Time) {
	gang := p.gang
	delete(j.partial, gang)
	j.findOverdue()
	j.deadlock(p, at)
	if at-p.from <= j.begin.Settle {
		return
	}
	most := p.longest
	j.run.Ledger = append(j.run.Ledger, Holding{Gang: gang, From: p.from, To: at, Pods: most.pods, GPUs: most.gpus, IdleGPUSeconds: p.idle})
	j.run.Violations = append(j.run.Violations, Violation{
		Property: scenario.AllOrNothing, Subject: gang, From: p.from, To: at, Bound: most.bound,
		Detail: fmt.Sprintf("%s was partly bound for %ss, for the most part with %d of the %d pods it needs, holding %s idle (%s GPU-seconds)",
			gang, at-p.from, most.pods, j.accounts[gang].min, scenario.Count(most.gpus, "GPU"), p.idle),
	})
}

// findOverdue finds the gang whose settle window is over first.
func (j *judge) findOverdue() {
	first := true
	for _, p := range j.partial {
		if over := p.from + j.begin.Settle; first || over < j.overdue {
			j.overdue, first = over, false
		}
	}
}

// checkOverdue notes who holds what when a gang has been partly bound for the settle window,
// and still is.
func (j *judge) checkOverdue(now timeline.Time) {
	if len(j.partial) > 0 && now > j.overdue {
		j.wrong(j.overdue, true)
	}
}
