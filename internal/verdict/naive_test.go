package verdict

import (
	"cmp"
	"slices"

	"github.com/gangctl/gangctl/internal/timeline"
)

// What docs/semantics.md defines, computed from all events anew at every moment: slow, and
// plainly what is written there. A moment is the place of an event, and is the time from
// it to the next one.

// life is a gang from its submission to its end: moments [from, to).
type life struct {
	timeline.Gang
	from, to int
}

func (h *history) lives() []life {
	var all []life
	for i, e := range h.events {
		if e.Gang == nil || e.Gang.Ended {
			continue
		}
		l := life{Gang: *e.Gang, from: i, to: len(h.events)}
		for k := len(h.events) - 1; k > i; k-- {
			if g := h.events[k].Gang; g != nil && g.Name == l.Name {
				l.to = k
			}
		}
		all = append(all, l)
	}
	return all
}

// at is when a moment begins; behind the last one it is the run's end.
func (h *history) at(moment int) timeline.Time {
	if moment < len(h.events) {
		return h.events[moment].At
	}
	return h.end()
}

// there are the pods that are there at a moment, as they were last seen, in the order in
// which they were first seen.
func (h *history) there(moment int) []*timeline.Pod {
	var all []*timeline.Pod
	for i := range moment + 1 {
		p := h.events[i].Pod
		if p == nil || h.firstSeen(p.UID) != i {
			continue
		}
		if last := h.lastSeen(p.UID, moment); !last.Gone {
			all = append(all, last)
		}
	}
	return all
}

func (h *history) firstSeen(uid string) int {
	return slices.IndexFunc(h.events, func(e timeline.Event) bool { return e.Pod != nil && e.Pod.UID == uid })
}

// lastSeen is the pod as it was last seen at a moment; nil before it was seen.
func (h *history) lastSeen(uid string, moment int) *timeline.Pod {
	for i := moment; i >= 0; i-- {
		if p := h.events[i].Pod; p != nil && p.UID == uid {
			return p
		}
	}
	return nil
}

// of are the pods of a gang that are there: what was there before it was submitted is not.
func (h *history) of(l life, moment int) []*timeline.Pod {
	var all []*timeline.Pod
	for _, p := range h.there(moment) {
		if p.Gang == l.Name && h.firstSeen(p.UID) > l.from {
			all = append(all, p)
		}
	}
	return all
}

func isBound(p *timeline.Pod) bool { return p.Node != "" && p.Phase != "Failed" && !p.Deleting }

func doesHold(p *timeline.Pod) bool {
	return p.Node != "" && p.Phase != "Failed" && p.Phase != "Succeeded"
}

func (h *history) bound(l life, moment int) (pods []*timeline.Pod) {
	for _, p := range h.of(l, moment) {
		if isBound(p) {
			pods = append(pods, p)
		}
	}
	return pods
}

func (h *history) held(l life, moment int) (gpus int64) {
	for _, p := range h.of(l, moment) {
		if doesHold(p) {
			gpus += p.Requests[timeline.GPU]
		}
	}
	return gpus
}

func (h *history) isPartial(l life, moment int) bool {
	n := len(h.bound(l, moment))
	return moment >= l.from && moment < l.to && n > 0 && n < l.Min
}

// seenBound is when a pod of a gang was first seen bound; -1 is never.
func (h *history) seenBound(l life, uid string) int {
	for i := l.from; i < l.to; i++ {
		if slices.ContainsFunc(h.bound(l, i), func(p *timeline.Pod) bool { return p.UID == uid }) {
			return i
		}
	}
	return -1
}

// members are the pods of a gang that were ever there, by UID, in the order in which they
// were first seen.
func (h *history) members(l life) []string {
	var all []string
	for i := l.from; i < l.to; i++ {
		for _, p := range h.of(l, i) {
			if !slices.Contains(all, p.UID) {
				all = append(all, p.UID)
			}
		}
	}
	return all
}

// interval is moments [from, to) in which something holds, as long as can be.
type interval struct{ from, to int }

// intervals are those of a run.
func (h *history) intervals(holds func(moment int) bool) []interval {
	var all []interval
	for i := 0; i < len(h.events); i++ {
		from := i
		for i < len(h.events) && holds(i) {
			i++
		}
		if i > from {
			all = append(all, interval{from, i})
		}
	}
	return all
}

func (h *history) length(x interval) timeline.Time { return h.at(x.to) - h.at(x.from) }

// boundList is how a verdict lists the pods that a gang had bound.
func (h *history) boundList(l life, moment int) []BoundPod {
	var all []BoundPod
	for _, p := range h.bound(l, moment) {
		all = append(all, BoundPod{Gang: l.Name, Pod: p.Name, Node: p.Node, At: h.at(h.seenBound(l, p.UID))})
	}
	slices.SortFunc(all, func(a, b BoundPod) int { return cmp.Compare(a.Pod, b.Pod) })
	return all
}

// of a verdict, the violations of one property.
func violationsOf(r Run, property string) []Violation {
	var all []Violation
	for _, v := range r.Violations {
		if string(v.Property) == property {
			all = append(all, v)
		}
	}
	return all
}
