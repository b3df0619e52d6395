package verdict

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gangctl/gangctl/internal/timeline"
)

// mayBe says whether a pod may be on a node, room aside.
func mayBe(p *timeline.Pod, n *timeline.Node) bool {
	for key, value := range p.NodeSelector {
		if n.Labels[key] != value {
			return false
		}
	}
	for _, t := range n.Taints {
		if !slices.Contains(p.Tolerates, t) {
			return false
		}
	}
	return n.Ready && (!n.Closed || len(n.Taints) > 0)
}

// fits says whether pods may be on these nodes, one for each, beside what is there.
func (h *history) fits(l life, pods []*timeline.Pod, on []*timeline.Node, moment int) bool {
	asked, count := map[string]int64{}, map[string]int64{}
	for _, p := range h.there(moment) {
		if doesHold(p) {
			count[p.Node]++
		}
	}
	apart := map[string]int{}
	for _, p := range h.of(l, moment) {
		if n := h.node(p.Node, moment); p.Apart != "" && doesHold(p) && n != nil {
			apart[p.Apart+"="+n.Labels[p.Apart]]++
		}
	}
	for i, p := range pods {
		n := on[i]
		if !mayBe(p, n) {
			return false
		}
		if p.Apart != "" {
			if apart[p.Apart+"="+n.Labels[p.Apart]]++; apart[p.Apart+"="+n.Labels[p.Apart]] > 1 {
				return false
			}
		}
		if count[n.Name]++; count[n.Name] > n.Allocatable["pods"] {
			return false
		}
		for r, q := range p.Requests {
			if asked[n.Name+" "+r] += q; q > 0 && h.asked(n.Name, r, moment)+asked[n.Name+" "+r] > n.Allocatable[r] {
				return false
			}
		}
	}
	return true
}

// canPlace tries every way to place the pods.
func (h *history) canPlace(l life, pods []*timeline.Pod, on []*timeline.Node, moment int) bool {
	if len(on) == len(pods) {
		return h.fits(l, pods, on, moment)
	}
	for _, name := range nodeNames {
		if n := h.node(name, moment); n != nil && h.canPlace(l, pods, append(slices.Clone(on), n), moment) {
			return true
		}
	}
	return false
}

// naiveRoom is what there is to say of the first gang that was not bound in time.
func (h *history) naiveRoom(step, moment int) (l life, said string, waiting []*timeline.Pod) {
	want := h.spec.Steps[step-1].Expect
	if want.Whole == nil && (want.Bound == nil || want.Bound.Word != "all") {
		return life{}, "", nil
	}
	lives := h.lives()
	slices.SortFunc(lives, func(a, b life) int { return cmp.Compare(a.Name, b.Name) })
	for _, l := range lives {
		need := l.Size
		if want.Whole != nil {
			need = l.Min
		}
		if ok, _ := path.Match(want.Gang, l.Name); !ok || moment < l.from || moment >= l.to || len(h.bound(l, moment)) >= need {
			continue
		}
		pods := h.of(l, moment)
		if len(pods) < need {
			return l, fmt.Sprintf("; of %s's %d pods, %d are there", l.Name, l.Size, len(pods)), nil
		}
		for _, p := range pods {
			if p.Node == "" && p.Phase != "Failed" && p.Phase != "Succeeded" && !p.Deleting {
				waiting = append(waiting, p)
			}
		}
		switch {
		case len(waiting) == 0:
			return l, "", nil
		case h.canPlace(l, waiting, nil, moment):
			return l, fmt.Sprintf("; liveness: %s fits: ", l.Name), waiting
		}
		return l, fmt.Sprintf("; %s does not fit what is free", l.Name), waiting
	}
	return life{}, "", nil
}

// What is not bound in time fits what is free just where trying every placement finds one,
// and the placement that is told is one.
func TestPropertyLiveness(t *testing.T) {
	said := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, seconds, "wild", "stopped", "full", "full", "full")
		done := -1
		for _, x := range h.judged(t).Expectations {
			for done++; h.events[done].Step == nil || !h.events[done].Step.Done || h.events[done].Step.Op != "expect"; done++ {
			}
			moment, want := done, h.spec.Steps[x.Step-1].Expect
			missed := want.Within > 0
			for i := done - 1; missed; i-- {
				missed = !h.isMet(want, i)
				if h.events[i].Step != nil {
					break
				}
			}
			if !missed || h.isMet(want, moment) {
				continue // there was no deadline, or it was met in time or after it
			}
			l, words, waiting := h.naiveRoom(x.Step, moment)
			if !strings.HasSuffix(x.Why, words) && (!strings.Contains(words, "fits: ") || !strings.Contains(x.Why, words)) {
				t.Fatalf("%q, want %q\n%s", x.Why, words, h.text())
			}
			_, places, fits := strings.Cut(x.Why, " fits: ")
			if fits != strings.Contains(words, " fits: ") {
				t.Fatalf("%q, want %q\n%s", x.Why, words, h.text())
			}
			said[kindOf(words)]++
			if !fits {
				continue
			}
			on := make([]*timeline.Node, len(waiting))
			for _, place := range strings.Split(places, ", ") {
				pod, node, _ := strings.Cut(place, " on ")
				for i, p := range waiting {
					if p.Name == pod {
						on[i] = h.node(node, moment)
					}
				}
			}
			if slices.Contains(on, nil) || !h.fits(l, waiting, on, moment) {
				t.Fatalf("%q is no placement\n%s", x.Why, h.text())
			}
		}
	})
	t.Log(said)
}

func kindOf(said string) string {
	for _, k := range []string{"does not fit", "fits", "are there"} {
		if strings.Contains(said, k) {
			return k
		}
	}
	return ""
}
