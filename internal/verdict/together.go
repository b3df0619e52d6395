package verdict

import (
	"fmt"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// together: the nodes of a gang's bound pods have the same value of the label that the gang
// is to be together by. It is reported once for a gang.
func (j *judge) together(p *timeline.Pod) {
	g := j.state.Gangs[p.Gang]
	if g == nil || g.Together == "" || !p.Bound() || g.Pods[p.UID] == nil {
		return
	}
	here := j.domain(p, g.Together)
	for _, other := range g.Sorted() {
		there := j.domain(other, g.Together)
		if !other.Bound() || there == here {
			continue
		}
		j.violate("together "+g.Name, Violation{
			Property: scenario.Together, Subject: g.Name, From: j.state.Now, To: j.state.Now, Bound: j.boundPods(g),
			Detail: fmt.Sprintf("%s is bound in the %s %q, and %s in %q", other.Name, g.Together, there, p.Name, here),
		})
		return
	}
}

func (j *judge) domain(p *timeline.Pod, label string) string {
	if n := j.state.Nodes[p.Node]; n != nil {
		return n.Labels[label]
	}
	return ""
}
