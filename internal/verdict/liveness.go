package verdict

import (
	"fmt"
	"slices"

	"github.com/gangctl/gangctl/internal/oracle"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// Liveness: what fits is bound within its deadline. That it fits, the oracle says.

// roomFor says, of an expectation that whole gangs are bound and that was not met, whether
// the first of them that is not fits what is free.
func (j *judge) roomFor(e *scenario.Expect) string {
	if e.Whole == nil && (e.Bound == nil || e.Bound.Word != "all") {
		return ""
	}
	for _, g := range scenario.Select(j.state, e.Gang) {
		need := g.Size
		if e.Whole != nil {
			need = g.Min
		}
		if g.Bound() >= need {
			continue
		}
		if len(g.Pods) < need {
			return fmt.Sprintf("; of %s's %d pods, %d are there", g.Name, g.Size, len(g.Pods))
		}
		return j.roomForGang(g)
	}
	return ""
}

// waits says of a pod that it wants a node and has none.
func waits(p *timeline.Pod) bool { return p.Node == "" && !p.Finished() && !p.Deleting }

func (j *judge) roomForGang(g *timeline.GangState) string {
	var waiting []*timeline.Pod
	var pods []oracle.Pod
	for _, p := range g.Sorted() {
		if waits(p) {
			waiting = append(waiting, p)
			pods = append(pods, oracle.PodOf(p))
		}
	}
	if len(waiting) == 0 {
		return ""
	}
	names := sortedKeys(j.state.Nodes)
	var nodes []oracle.Node
	for _, name := range names {
		free := j.free(name)
		free.Apart = j.apart(g, free.Labels)
		nodes = append(nodes, free)
	}
	at, err := oracle.Place(nodes, pods, "")
	switch {
	case err != nil:
		return fmt.Sprintf("; whether %s fits: %s", g.Name, err)
	case at == nil:
		return fmt.Sprintf("; %s does not fit what is free", g.Name)
	}
	var where []string
	for i, n := range at {
		where = append(where, fmt.Sprintf("%s on %s", waiting[i].Name, names[n]))
	}
	return fmt.Sprintf("; liveness: %s fits: %s", g.Name, AtMostEight(where))
}

// free is a node with what pods leave of it.
func (j *judge) free(name string) oracle.Node {
	n := j.state.Nodes[name]
	free := oracle.Node{Free: map[string]int64{}, Pods: n.Allocatable["pods"], Labels: n.Labels, Taints: slices.Clone(n.Taints)}
	if n.Closed && len(n.Taints) == 0 || !n.Ready {
		free.Taints = append(free.Taints, "node.kubernetes.io/unschedulable")
	}
	for r, amount := range n.Allocatable {
		free.Free[r] = amount - j.asked(name, r)
	}
	if l := j.loads[name]; l != nil {
		free.Pods -= l.pods
	}
	return free
}

// apart are the labels by which the gang's pods keep their like away from a node: one of
// them holds on a node with the same value.
func (j *judge) apart(g *timeline.GangState, labels map[string]string) []string {
	var by []string
	for _, p := range g.Pods {
		n := j.state.Nodes[p.Node]
		if p.Apart == "" || !p.Holds() || n == nil || slices.Contains(by, p.Apart) {
			continue
		}
		if value, ok := n.Labels[p.Apart]; ok && labels[p.Apart] == value {
			by = append(by, p.Apart)
		}
	}
	return by
}
