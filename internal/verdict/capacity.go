package verdict

import (
	"fmt"
	"maps"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// holds is what a pod takes from a node.
type holds struct {
	node     string
	requests timeline.Resources
}

// load is what the pods that hold on a node ask for, all together.
type load struct {
	pods  int64
	asked timeline.Resources
}

// carry keeps the sums of what nodes are asked for.
func (j *judge) carry(p *timeline.Pod) {
	old, held := j.holds[p.UID]
	holding := !p.Gone && p.Holds()
	if held && holding && old.node == p.Node && maps.Equal(old.requests, p.Requests) {
		return
	}
	if held {
		delete(j.holds, p.UID)
		l := j.loads[old.node]
		for r, q := range old.requests {
			l.asked[r] -= q
		}
		if l.pods--; l.pods == 0 {
			delete(j.loads, old.node)
		}
	}
	if !holding {
		return
	}
	j.holds[p.UID] = holds{p.Node, p.Requests}
	l := j.loads[p.Node]
	if l == nil {
		l = &load{asked: timeline.Resources{}}
		j.loads[p.Node] = l
	}
	l.pods++
	for r, q := range p.Requests {
		l.asked[r] += q
	}
	j.capacity(p.Node)
}

// capacity: no node is asked for more than it has.
func (j *judge) capacity(node string) {
	n, l := j.state.Nodes[node], j.loads[node]
	if n == nil || l == nil {
		return
	}
	for _, r := range sortedKeys(l.asked) {
		if l.asked[r] > n.Allocatable[r] {
			j.violate("capacity "+node+" "+r, Violation{
				Property: scenario.Capacity, Subject: node, From: j.state.Now, To: j.state.Now,
				Detail: fmt.Sprintf("%s has %d of %s and is asked for %d", node, n.Allocatable[r], r, l.asked[r]),
			})
		}
	}
}

// asked is what the pods on a node ask for, of one resource.
func (j *judge) asked(node, resource string) int64 {
	if l := j.loads[node]; l != nil {
		return l.asked[resource]
	}
	return 0
}
