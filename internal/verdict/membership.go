package verdict

import (
	"fmt"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// Membership: the group that the backend sees is the group we meant.

// group: a gang's group has our minimum, and no group is made behind our back,
// unless there are strangers that the backend groups by itself.
func (j *judge) group(g *timeline.Group) {
	if g.Gone || !j.begin.Grouped {
		return
	}
	detail := ""
	if ours := j.accounts[g.Name]; ours != nil && !j.ungrouped(g.Name) {
		if g.Min == int64(ours.min) {
			ours.grouped = true
			return
		}
		if f, ok := j.follows[g.Name]; ok && f.was == g.Min {
			return
		}
		detail = wrongMinimum(g, ours)
	} else {
		for _, s := range scenario.Submits(j.spec.Spec.Steps) {
			if s.Ungrouped || s.Has(g.Name) {
				return
			}
		}
		detail = fmt.Sprintf("a group %s with the minimum %d was made behind our back", g.Name, g.Min)
	}
	j.member("group "+g.Name, g.Name, detail)
}

// schedulerOf: a pod that an operator made asks for the backend's scheduler.
func (j *judge) schedulerOf(p *timeline.Pod) {
	if j.begin.Operator == "" || p.Scheduler == j.begin.Scheduler || !j.begin.Grouped || j.ungrouped(p.Gang) {
		return
	}
	j.member("scheduler "+p.Gang, p.Gang,
		fmt.Sprintf("%s was made by %s for the scheduler %q, not %q", p.Name, j.begin.Operator, p.Scheduler, j.begin.Scheduler))
}

// keyOf: a pod that is bound names its gang's group.
func (j *judge) keyOf(p *timeline.Pod) {
	if !j.begin.Grouped && !j.begin.Joined || p.Key == p.Gang || j.ungrouped(p.Gang) {
		return
	}
	j.member("key "+p.Gang, p.Gang, fmt.Sprintf("%s was bound and names the group %q, not %q", p.Name, p.Key, p.Gang))
}

// neverGrouped: a gang of which a pod was bound had its group.
func (j *judge) neverGrouped(gang string, a *account, at timeline.Time) {
	if a.watch.count == 0 || a.grouped || !j.begin.Grouped || j.ungrouped(gang) {
		return
	}
	j.violate("member "+gang, Violation{
		Property: scenario.Membership, Subject: gang, From: a.watch.first, To: at,
		Detail: fmt.Sprintf("pods of %s were bound, and no group %s with the minimum %d was ever seen", gang, gang, a.min),
	})
}

// member reports a violation of membership at this moment, once.
func (j *judge) member(once, gang, detail string) {
	j.violate(once, Violation{Property: scenario.Membership, Subject: gang, From: j.state.Now, To: j.state.Now, Detail: detail})
}

// ungrouped says of a gang that it is none: its pods are strangers, or come before a gang.
func (j *judge) ungrouped(gang string) bool {
	for _, s := range scenario.Submits(j.spec.Spec.Steps) {
		if s.Ungrouped && s.Has(gang) || s.HasFirst(gang) {
			return true
		}
	}
	return false
}
