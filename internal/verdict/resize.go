package verdict

import (
	"fmt"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// follow is what a gang's group may still have as its minimum, and until when: the gang
// was given another size, and its operator has the settle window to see to that.
type follow struct {
	was   int64
	until timeline.Time
}

// meant opens a gang's account, or gives it the numbers that it has from now on.
func (j *judge) meant(g *timeline.Gang, at timeline.Time) {
	a := j.accounts[g.Name]
	if a == nil {
		j.run.Gangs++
		j.accounts[g.Name] = &account{min: g.Min, size: g.Size}
		return
	}
	if a.min != g.Min {
		j.follows[g.Name] = follow{int64(a.min), at + j.begin.Settle}
	}
	if p := j.partial[g.Name]; p != nil {
		j.turn(p, at)
	}
	a.min, a.size = g.Min, g.Size
	j.reckon(g.Name, at)
}

// followed looks whether groups have followed their gangs in time, with the state before
// an event.
func (j *judge) followed(to timeline.Time) {
	for _, name := range sortedKeys(j.follows) {
		f := j.follows[name]
		if to <= f.until {
			continue
		}
		delete(j.follows, name)
		ours, g := j.accounts[name], j.state.Groups[name]
		if ours == nil || g == nil || g.Min == int64(ours.min) {
			continue
		}
		j.violate("group "+name, Violation{
			Property: scenario.Membership, Subject: name, From: f.until, To: f.until,
			Detail: wrongMinimum(g, ours) + fmt.Sprintf(", %ss after the gang was given another size", j.begin.Settle),
		})
	}
}

func wrongMinimum(g *timeline.Group, ours *account) string {
	return fmt.Sprintf("the group %s has the minimum %d, not %d", g.Name, g.Min, ours.min)
}
