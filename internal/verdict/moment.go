package verdict

import (
	"slices"

	"github.com/gangctl/gangctl/internal/timeline"
)

// wrong notes who holds what, the first time that something goes wrong. Where a gang is
// partly bound for longer than the settle window, the end of that says more.
func (j *judge) wrong(at timeline.Time, partly bool) {
	if j.partly || j.run.Wrong != nil && !partly {
		return
	}
	j.partly = partly
	m := &Moment{At: at}
	for _, name := range sortedKeys(j.state.Gangs) {
		g := j.state.Gangs[name]
		if g.Bound() == 0 && g.Held(timeline.GPU) == 0 {
			continue
		}
		h := Holder{Gang: name, Pods: g.Bound(), Min: g.Min, GPUs: g.Held(timeline.GPU), Nodes: []string{}}
		for _, p := range g.Sorted() {
			if p.Holds() && !slices.Contains(h.Nodes, p.Node) {
				h.Nodes = append(h.Nodes, p.Node)
			}
		}
		slices.Sort(h.Nodes)
		m.Holders = append(m.Holders, h)
	}
	for name, n := range j.state.Nodes {
		if n.Ready && !n.Closed {
			m.FreeGPUs += max(0, n.Allocatable[timeline.GPU]-j.asked(name, timeline.GPU))
		}
	}
	j.run.Wrong = m
}
