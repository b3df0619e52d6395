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
		if g.Whole() {
			continue
		}
		if len(g.Pods) < g.Min {
			return fmt.Sprintf("; of %s's %d pods, %d are there", g.Name, g.Size, len(g.Pods))
		}
		return j.roomForGang(g)
	}
	return ""
}

func (j *judge) roomForGang(g *timeline.GangState) string {
	names := sortedKeys(j.state.Nodes)
	var nodes []oracle.Node
	for _, name := range names {
		nodes = append(nodes, j.free(name))
	}
	var waiting []*timeline.Pod
	var pods []oracle.Pod
	for _, p := range g.Sorted() {
		if p.Node == "" {
			waiting = append(waiting, p)
			pods = append(pods, oracle.PodOf(p))
		}
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
