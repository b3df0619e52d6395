package verdict

import (
	"fmt"
	"slices"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// follow is what a gang's group may still have as its minimum, and until when: the gang
// was given another size, and its operator has the settle window to see to that.
type follow struct {
	was   int64
	until timeline.Time
}

// meant takes a gang into the accounts, or the numbers that it has from now on.
func (j *judge) meant(g *timeline.Gang) {
	w := j.watch[g.Name]
	if w == nil {
		j.run.Gangs++
		j.watch[g.Name] = &stopwatch{min: g.Min, size: g.Size}
		return
	}
	if w.min != g.Min {
		j.follows[g.Name] = follow{int64(w.min), j.state.Now + j.begin.Settle}
	}
	w.min, w.size = g.Min, g.Size
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
		ours, g := j.state.Gangs[name], j.state.Groups[name]
		if ours == nil || g == nil || g.Min == int64(ours.Min) {
			continue
		}
		j.violate("group "+name, Violation{
			Property: scenario.Membership, Subject: name, From: f.until, To: f.until,
			Detail: wrongMinimum(g, ours) + fmt.Sprintf(", %ss after the gang was given another size", j.begin.Settle),
		})
	}
}

func wrongMinimum(g *timeline.Group, ours *timeline.GangState) string {
	return fmt.Sprintf("the group %s has the minimum %d, not %d", g.Name, g.Min, ours.Min)
}

// group: a gang's group has our minimum, and no group is made behind our back,
// unless there are strangers that the backend groups by itself.
func (j *judge) group(g *timeline.Group) {
	if g.Gone || !j.begin.Grouped {
		return
	}
	detail := ""
	if ours := j.state.Gangs[g.Name]; ours != nil && !j.ungrouped(g.Name) {
		if j.grouped[g.Name] = g.Min == int64(ours.Min); j.grouped[g.Name] {
			return
		}
		if f, ok := j.follows[g.Name]; ok && f.was == g.Min {
			return
		}
		detail = wrongMinimum(g, ours)
	} else {
		for _, s := range scenario.Submits(j.spec.Spec.Steps) {
			if s.Ungrouped || slices.Contains(s.Names(), g.Name) {
				return
			}
		}
		detail = fmt.Sprintf("a group %s with the minimum %d was made behind our back", g.Name, g.Min)
	}
	j.violate("group "+g.Name, Violation{Property: scenario.Membership, Subject: g.Name, From: j.state.Now, To: j.state.Now, Detail: detail})
}

// ungrouped says of pods that go by a name that they are no gang.
func (j *judge) ungrouped(gang string) bool {
	for _, s := range scenario.Submits(j.spec.Spec.Steps) {
		if s.Ungrouped && slices.Contains(s.Names(), gang) {
			return true
		}
		for _, name := range s.Names() {
			if _, first := s.First(name)[gang]; first {
				return true
			}
		}
	}
	return false
}
