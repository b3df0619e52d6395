package verdict

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gangctl/gangctl/internal/timeline"
)

// node is a node as it was last seen at a moment; nil where it is not there.
func (h *history) node(name string, moment int) *timeline.Node {
	for i := moment; i >= 0; i-- {
		if n := h.events[i].Node; n != nil && n.Name == name {
			if n.Gone {
				return nil
			}
			return n
		}
	}
	return nil
}

// asked is what the pods that hold on a node ask for, those of no gang too.
func (h *history) asked(node, resource string, moment int) (sum int64) {
	for _, p := range h.there(moment) {
		if doesHold(p) && p.Node == node {
			sum += p.Requests[resource]
		}
	}
	return sum
}

// naiveCapacity says when each node was first asked for more than it had of a resource.
func (h *history) naiveCapacity() (all []string) {
	for _, name := range nodeNames {
		for _, r := range []string{timeline.GPU, "cpu"} {
			for i := range h.events {
				n := h.node(name, i)
				if n == nil || h.asked(name, r, i) <= n.Allocatable[r] {
					continue
				}
				all = append(all, fmt.Sprintf("%s at %s: %s has %d of %s and is asked for %d", name, h.at(i), name, n.Allocatable[r], r, h.asked(name, r, i)))
				break
			}
		}
	}
	return all
}

// Capacity is violated just where a node is asked for more than it has, and is reported
// when that is first so.
func TestPropertyCapacity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, seconds, moods...)
		var got []string
		for _, v := range violationsOf(h.judged(t), "capacity") {
			got = append(got, fmt.Sprintf("%s at %s: %s", v.Subject, v.From, v.Detail))
		}
		want := h.naiveCapacity()
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("got %q, want %q\n%s", got, want, h.text())
		}
	})
}
