package verdict

import (
	"maps"
	"slices"

	"github.com/gangctl/gangctl/internal/timeline"
)

// account is what the judge keeps of a gang while it lives.
type account struct {
	min, size int
	has       holding
	grouped   bool // its group was seen with our minimum
	watch     stopwatch
}

// closeGang ends a gang's account: the scenario itself takes it away, or the run is over.
func (j *judge) closeGang(name string, at timeline.Time) {
	a := j.accounts[name]
	if a == nil {
		return
	}
	if p := j.partial[name]; p != nil {
		j.turn(p, at)
		j.closePartial(p, at)
	}
	j.neverGrouped(name, a, at)
	if j.spec.Spec.Alone && a.watch.size > 0 {
		j.timed = append(j.timed, a.watch.times)
	}
	delete(j.accounts, name)
	delete(j.follows, name)
}

// pod looks at what a pod's event says of binding, capacity and membership.
func (j *judge) pod(p *timeline.Pod) {
	j.carry(p)
	if p.Gone {
		delete(j.boundAt, p.UID)
		return
	}
	g := j.state.Gangs[p.Gang]
	if g == nil || g.Pods[p.UID] == nil {
		return
	}
	a := j.accounts[p.Gang]
	a.watch.saw(p.UID, a.min, j.state.Now)
	j.schedulerOf(p)
	if _, seen := j.boundAt[p.UID]; seen || !p.Bound() {
		return
	}
	j.boundAt[p.UID] = j.state.Now
	j.run.BoundPods++
	a.watch.bound(a.size, j.state.Now)
	if j.stopped && j.afterStop == nil {
		j.afterStop = &BoundPod{Gang: p.Gang, Pod: p.Name, Node: p.Node, At: j.state.Now}
	}
	j.keyOf(p)
	j.together(p)
}

// violate reports a violation once.
func (j *judge) violate(once string, v Violation) {
	if !j.flagged[once] {
		j.wrong(v.To, false)
		j.flagged[once] = true
		j.run.Violations = append(j.run.Violations, v)
	}
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
