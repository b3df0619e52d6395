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
	Holding // with what it held longest
	bound   []BoundPod
	longest timeline.Time
	now     held
	since   timeline.Time
	locked  bool // it is part of a deadlock that was reported
}

// held is what a gang has at one moment.
type held struct {
	pods  int
	gpus  int64
	bound []BoundPod
}

// until accounts for what the gang held up to a moment.
func (p *partialTime) until(at timeline.Time) {
	if at-p.since >= p.longest {
		p.longest, p.Pods, p.GPUs, p.bound = at-p.since, p.now.pods, p.now.gpus, p.now.bound
	}
	p.since = at
}

// advance accounts for the time up to an event, with the state before it.
func (j *judge) advance(to timeline.Time) {
	j.followed(to)
	for name, p := range j.partial {
		if over := p.From + j.begin.Settle; to > over {
			j.wrong(max(over, j.state.Now), true)
		}
		idle := timeline.Time(int64(to-j.state.Now) * j.state.Gangs[name].Held(timeline.GPU))
		p.IdleGPUSeconds += idle
		j.run.IdleGPUSeconds += idle
	}
}

// track opens and closes the times of partial binding that an event begins or ends.
func (j *judge) track(e timeline.Event) {
	name, at := "", e.At
	switch {
	case e.Pod != nil:
		name = e.Pod.Gang
	case e.Gang != nil:
		name = e.Gang.Name
	}
	g := j.state.Gangs[name]
	if g == nil {
		return
	}
	p := j.partial[name]
	if !g.Partial() {
		j.closePartial(name, at)
		return
	}
	if p == nil {
		p = &partialTime{Holding: Holding{Gang: name, From: at}, since: at}
		j.partial[name] = p
	}
	p.until(at)
	p.now = held{g.Bound(), g.Held(timeline.GPU), j.boundPods(g)}
}

// closePartial ends a time of partial binding. It is entered into the ledger, and
// is a violation, where it outlasted the settle window.
func (j *judge) closePartial(gang string, at timeline.Time) {
	p := j.partial[gang]
	if p == nil {
		return
	}
	delete(j.partial, gang)
	p.until(at)
	p.To = at
	j.deadlock(p)
	if p.To-p.From <= j.begin.Settle {
		return
	}
	j.run.Ledger = append(j.run.Ledger, p.Holding)
	j.run.Violations = append(j.run.Violations, Violation{
		Property: scenario.AllOrNothing, Subject: gang, From: p.From, To: p.To, Bound: p.bound,
		Detail: fmt.Sprintf("%s was partly bound for %ss, for the most part with %d of the %d pods it needs, holding %d GPUs idle (%s GPU-seconds)",
			gang, p.To-p.From, p.Pods, j.state.Gangs[gang].Min, p.GPUs, p.IdleGPUSeconds),
	})
}

// deadlock: no two gangs hold parts of each other's room for longer than the settle
// window. It is looked for when one of them ends its partial time.
func (j *judge) deadlock(p *partialTime) {
	if p.locked {
		return
	}
	from := p.To
	var with []*partialTime
	for _, name := range sortedKeys(j.partial) {
		q := j.partial[name]
		if both := max(p.From, q.From); p.To-both > j.begin.Settle {
			q.until(p.To)
			q.locked = true
			with, from = append(with, q), min(from, both)
		}
	}
	if len(with) == 0 {
		return
	}
	var held []string
	var bound []BoundPod
	for _, x := range append([]*partialTime{p}, with...) {
		held = append(held, fmt.Sprintf("%s holds %d GPUs with %d of the %d pods it needs", x.Gang, x.GPUs, x.Pods, j.state.Gangs[x.Gang].Min))
		bound = append(bound, x.bound...)
	}
	j.run.Violations = append(j.run.Violations, Violation{
		Property: scenario.Deadlock, Subject: "cluster", From: from, To: p.To, Bound: bound,
		Detail: fmt.Sprintf("%d gangs held parts of each other's room for %ss: %s", len(held), p.To-from, strings.Join(held, ", ")),
	})
}

// closeGang ends a gang's accounts: the scenario itself takes it away, or the run
// is over.
func (j *judge) closeGang(name string, at timeline.Time) {
	j.closePartial(name, at)
	w := j.watch[name]
	if w == nil {
		return
	}
	if w.count > 0 && j.begin.Grouped && !j.grouped[name] && !j.ungrouped(name) {
		j.violate("member "+name, Violation{
			Property: scenario.Membership, Subject: name, From: w.first, To: at,
			Detail: fmt.Sprintf("pods of %s were bound, and no group %s with the minimum %d was ever seen", name, name, w.min),
		})
	}
	j.done = append(j.done, w)
	delete(j.watch, name)
	delete(j.grouped, name)
	delete(j.follows, name)
}

// pod looks at what a pod event says of binding, capacity and membership.
func (j *judge) pod(p *timeline.Pod) {
	j.account(p)
	g := j.state.Gangs[p.Gang]
	if g == nil || g.Pods[p.UID] == nil {
		return
	}
	w := j.watch[p.Gang]
	w.created(p.UID, j.state.Now)
	if j.begin.Operator != "" && p.Scheduler != j.begin.Scheduler && j.begin.Grouped && !j.ungrouped(g.Name) {
		j.violate("scheduler "+g.Name, Violation{
			Property: scenario.Membership, Subject: g.Name, From: j.state.Now, To: j.state.Now,
			Detail: fmt.Sprintf("%s was made by %s for the scheduler %q, not %q", p.Name, j.begin.Operator, p.Scheduler, j.begin.Scheduler),
		})
	}
	if _, seen := j.boundAt[p.UID]; seen || p.Node == "" {
		return
	}
	j.boundAt[p.UID] = j.state.Now
	j.run.BoundPods++
	w.bound(j.state.Now)
	j.together(p)
	if j.stopped {
		j.afterStop = append(j.afterStop, BoundPod{Gang: p.Gang, Pod: p.Name, Node: p.Node, At: j.state.Now})
	}
	if (j.begin.Grouped || j.begin.Joined) && p.Key != g.Name && !j.ungrouped(g.Name) {
		j.violate("key "+g.Name, Violation{
			Property: scenario.Membership, Subject: g.Name, From: j.state.Now, To: j.state.Now,
			Detail: fmt.Sprintf("%s was bound and names the group %q, not %q", p.Name, p.Key, g.Name),
		})
	}
}

// holds is what a pod takes from a node.
type holds struct {
	node     string
	requests timeline.Resources
}

// account keeps the sums of what nodes are asked for.
func (j *judge) account(p *timeline.Pod) {
	if old, ok := j.holds[p.UID]; ok {
		for r, q := range old.requests {
			j.asked[old.node][r] -= q
		}
		delete(j.holds, p.UID)
	}
	if p.Gone || !p.Holds() {
		return
	}
	j.holds[p.UID] = holds{p.Node, p.Requests}
	if j.asked[p.Node] == nil {
		j.asked[p.Node] = timeline.Resources{}
	}
	for r, q := range p.Requests {
		j.asked[p.Node][r] += q
	}
	j.capacity(p.Node)
}

// capacity: no node is asked for more than it has.
func (j *judge) capacity(node string) {
	n := j.state.Nodes[node]
	if n == nil {
		return
	}
	asked := j.asked[node]
	for _, r := range sortedKeys(asked) {
		if asked[r] > n.Allocatable[r] {
			j.violate("capacity "+node+r, Violation{
				Property: scenario.Capacity, Subject: node, From: j.state.Now, To: j.state.Now,
				Detail: fmt.Sprintf("%s has %d of %s and is asked for %d", node, n.Allocatable[r], r, asked[r]),
			})
		}
	}
}

// violate reports a violation once.
func (j *judge) violate(once string, v Violation) {
	if !j.flagged[once] {
		j.wrong(j.state.Now, false)
		j.flagged[once] = true
		j.run.Violations = append(j.run.Violations, v)
	}
}

func sortedKeys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }
