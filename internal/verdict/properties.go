package verdict

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// partialTime is a time in which a gang is partly bound.
type partialTime struct {
	Holding
	bound []BoundPod
}

// advance accounts for the time up to an event, with the state before it.
func (j *judge) advance(to timeline.Time) {
	for name, p := range j.partial {
		g := j.state.Gangs[name]
		idle := timeline.Time(int64(to-j.state.Now) * g.Held(timeline.GPU))
		p.IdleGPUSeconds += idle
		j.run.IdleGPUSeconds += idle
	}
}

// track opens and closes the times of partial binding that an event begins or ends.
func (j *judge) track(e timeline.Event) {
	if e.Pod != nil {
		if g := j.state.Gangs[e.Pod.Gang]; g != nil {
			p := j.partial[g.Name]
			switch {
			case g.Partial() && p == nil:
				p = &partialTime{Holding: Holding{Gang: g.Name, From: e.At}}
				j.partial[g.Name] = p
				fallthrough
			case g.Partial():
				p.Pods, p.GPUs = max(p.Pods, g.Bound()), max(p.GPUs, g.Held(timeline.GPU))
				p.bound = j.boundPods(g)
			case p != nil:
				j.closePartial(g.Name, e.At)
			}
		}
	}
	switch {
	case len(j.partial) < 2:
		j.unlock(e.At)
	case j.lock == nil:
		j.lock = &lock{from: e.At}
		fallthrough
	case e.Pod != nil:
		j.lock.note(j)
	}
}

// closePartial ends a time of partial binding and enters it into the ledger. It
// is a violation where it outlasted the settle window.
func (j *judge) closePartial(gang string, at timeline.Time) {
	p := j.partial[gang]
	if p == nil {
		return
	}
	delete(j.partial, gang)
	p.To = at
	if p.To-p.From <= j.begin.Settle {
		return
	}
	j.run.Ledger = append(j.run.Ledger, p.Holding)
	j.run.Violations = append(j.run.Violations, Violation{
		Property: scenario.AllOrNothing, Subject: gang, From: p.From, To: p.To, Bound: p.bound,
		Detail: fmt.Sprintf("%s was partly bound for %ss, %d pods at most, holding %d GPUs idle (%s GPU-seconds)",
			gang, p.To-p.From, p.Pods, p.GPUs, p.IdleGPUSeconds),
	})
}

// lock is a time in which two gangs or more are partly bound at once.
type lock struct {
	from  timeline.Time
	held  []string
	bound []BoundPod
}

// note writes down who holds what, while they hold it.
func (l *lock) note(j *judge) {
	l.held, l.bound = nil, nil
	for _, name := range sortedKeys(j.partial) {
		g := j.state.Gangs[name]
		l.held = append(l.held, fmt.Sprintf("%s holds %d GPUs with %d of %d pods", name, g.Held(timeline.GPU), g.Bound(), g.Min))
		l.bound = append(l.bound, j.boundPods(g)...)
	}
}

// unlock ends such a time; it is a violation where it outlasted the settle window.
func (j *judge) unlock(at timeline.Time) {
	l := j.lock
	if j.lock = nil; l == nil || at-l.from <= j.begin.Settle {
		return
	}
	j.run.Violations = append(j.run.Violations, Violation{
		Property: scenario.Deadlock, Subject: "cluster", From: l.from, To: at, Bound: l.bound,
		Detail: fmt.Sprintf("gangs held parts of each other's room for %ss: %s", at-l.from, strings.Join(l.held, ", ")),
	})
}

// closeGang ends a gang's accounts: the scenario itself takes it away.
func (j *judge) closeGang(name string) {
	j.closePartial(name, j.state.Now)
	if len(j.partial) < 2 {
		j.unlock(j.state.Now)
	}
	if w := j.watch[name]; w != nil {
		j.done = append(j.done, w)
		delete(j.watch, name)
	}
}

// pod looks at what a pod event says of binding, capacity and membership.
func (j *judge) pod(p *timeline.Pod) {
	if p.Gone || p.Node == "" {
		if w := j.watch[p.Gang]; w != nil && !p.Gone {
			w.created(p.UID, j.state.Now)
		}
		return
	}
	if _, seen := j.boundAt[p.UID]; seen {
		return
	}
	j.boundAt[p.UID] = j.state.Now
	if g := j.state.Gangs[p.Gang]; g != nil && g.Pods[p.UID] != nil {
		j.run.BoundPods++
		j.watch[p.Gang].created(p.UID, j.state.Now)
		j.watch[p.Gang].bound(j.state.Now)
		if j.stopped {
			j.afterStop = append(j.afterStop, BoundPod{Gang: p.Gang, Pod: p.Name, Node: p.Node, At: j.state.Now})
		}
		j.member(g, p)
	}
	j.capacity(p.Node)
}

// capacity: no node is asked for more than it has.
func (j *judge) capacity(node string) {
	n := j.state.Nodes[node]
	if n == nil {
		return
	}
	asked := timeline.Resources{}
	add := func(p *timeline.Pod) {
		if p.Node == node && p.Holds() {
			for r, q := range p.Requests {
				asked[r] += q
			}
		}
	}
	for _, g := range j.state.Gangs {
		for _, p := range g.Pods {
			add(p)
		}
	}
	for _, p := range j.state.Others {
		add(p)
	}
	for _, r := range slices.Sorted(maps.Keys(asked)) {
		if asked[r] > n.Allocatable[r] {
			j.violate("capacity "+node+r, Violation{
				Property: scenario.Capacity, Subject: node, From: j.state.Now, To: j.state.Now,
				Detail: fmt.Sprintf("%s has %d of %s and is asked for %d", node, n.Allocatable[r], r, asked[r]),
			})
		}
	}
}

// member: when a member is bound, its key names the gang's group, and the group
// exists with our minimum. A group that the backend made for itself has another.
func (j *judge) member(g *timeline.GangState, p *timeline.Pod) {
	if !j.begin.Grouped || p.Key == "" && j.ungrouped(g.Name) {
		return
	}
	group := j.state.Groups[g.Name]
	detail := ""
	switch {
	case p.Key != g.Name:
		detail = fmt.Sprintf("%s was bound and names the group %q, not %q", p.Name, p.Key, g.Name)
	case group == nil:
		detail = fmt.Sprintf("%s was bound and there is no group %s", p.Name, g.Name)
	case group.Min != int64(g.Min):
		detail = fmt.Sprintf("the group %s has the minimum %d, not %d", g.Name, group.Min, g.Min)
	default:
		return
	}
	j.violate("member "+g.Name, Violation{Property: scenario.Membership, Subject: g.Name, From: j.state.Now, To: j.state.Now, Detail: detail})
}

// group: no group object is made behind our back, unless there are strangers
// that the backend groups by itself.
func (j *judge) group(g *timeline.Group) {
	if g.Gone || !j.begin.Grouped {
		return
	}
	for _, s := range scenario.Submits(j.spec.Spec.Steps) {
		if s.Ungrouped || slices.Contains(s.Names(), g.Name) {
			return
		}
	}
	j.violate("group "+g.Name, Violation{
		Property: scenario.Membership, Subject: g.Name, From: j.state.Now, To: j.state.Now,
		Detail: fmt.Sprintf("a group %s with the minimum %d was made behind our back", g.Name, g.Min),
	})
}

func (j *judge) ungrouped(gang string) bool {
	for _, s := range scenario.Submits(j.spec.Spec.Steps) {
		if s.Ungrouped && slices.Contains(s.Names(), gang) {
			return true
		}
	}
	return false
}

// violate reports a violation once.
func (j *judge) violate(once string, v Violation) {
	if !j.flagged[once] {
		j.flagged[once] = true
		j.run.Violations = append(j.run.Violations, v)
	}
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
