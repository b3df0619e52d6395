package verdict

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// deadlock: no two gangs hold parts of each other's room for longer than the settle
// window. It is looked for when one of them ends its partial time, and names all that were
// locked with that one. Two that were named together are not reported again.
func (j *judge) deadlock(p *partialTime, at timeline.Time) {
	var group []*partialTime
	news := false
	for _, name := range sortedKeys(j.partial) {
		if q := j.partial[name]; at-max(p.from, q.from) > j.begin.Settle {
			group = append(group, q)
			news = news || !slices.Contains(p.locked, q)
		}
	}
	if !news {
		return
	}
	begun := []timeline.Time{p.from}
	held := []string{j.heldBy(p, p.longest)}
	bound := slices.Clone(p.longest.bound)
	for _, q := range group {
		most := j.forTheMostPart(q, at)
		begun, held, bound = append(begun, q.from), append(held, j.heldBy(q, most)), append(bound, most.bound...)
		q.locked = append(q.locked, group...)
	}
	// It began when the second of them became partly bound.
	slices.Sort(begun)
	j.run.Violations = append(j.run.Violations, Violation{
		Property: scenario.Deadlock, Subject: "cluster", From: begun[1], To: at, Bound: bound,
		Detail: fmt.Sprintf("%d gangs held parts of each other's room for %ss: %s", len(held), at-begun[1], strings.Join(held, ", ")),
	})
}

func (j *judge) heldBy(p *partialTime, most stretch) string {
	return fmt.Sprintf("%s holds %d GPUs with %d of the %d pods it needs", p.gang, most.gpus, most.pods, j.accounts[p.gang].min)
}
