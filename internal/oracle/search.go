package oracle

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// most bounds a search. What cases use takes a few thousand steps.
const most = 100_000

// search is a depth-first search, the pods that are hardest to place first. It does not
// try nodes that are alike, nor come back to a state that it has failed in.
type search struct {
	nodes     []Node
	kinds     []kind
	order     []int          // of the pods: their kinds
	pods      []int          // which pod each of order is
	at        []int          // the node of each of order
	taken     map[string]int // how many pods that want to be apart are in a domain
	sizes     map[string]int // how many nodes a domain has
	failed    map[string]bool
	steps     int
	keys      []string // the labels that pods want to be apart by
	resources []string // that pods request
}

// kind is a pod of which there may be several.
type kind struct {
	Pod
	count int
	may   []bool // by node
}

func newSearch(nodes []Node, pods []Pod) *search {
	s := &search{taken: map[string]int{}, sizes: map[string]int{}, failed: map[string]bool{}}
	for _, n := range nodes {
		n.Free = maps.Clone(n.Free)
		s.nodes = append(s.nodes, n)
	}
	place := map[string]int{} // of a kind
	of := make([]int, len(pods))
	keys, resources := map[string]bool{}, map[string]bool{}
	for i, p := range pods {
		name := fmt.Sprint(p.Requests, p.NodeSelector, p.Tolerates, p.Apart)
		k, known := place[name]
		if !known {
			k = len(s.kinds)
			place[name] = k
			s.kinds = append(s.kinds, kind{Pod: p})
			for _, n := range s.nodes {
				s.kinds[k].may = append(s.kinds[k].may, allowed(n, p))
			}
		}
		s.kinds[k].count++
		of[i] = k
		s.pods = append(s.pods, i)
		if p.Apart != "" {
			keys[p.Apart] = true
		}
		for r, amount := range p.Requests {
			resources[r] = resources[r] || amount > 0
		}
	}
	s.keys, s.resources = slices.Sorted(maps.Keys(keys)), slices.Sorted(maps.Keys(resources))
	for _, n := range s.nodes {
		for _, key := range s.keys {
			s.sizes[domain(n, key)]++
		}
	}
	slices.SortStableFunc(s.pods, func(a, b int) int { return s.harder(of[a], of[b]) })
	for _, i := range s.pods {
		s.order = append(s.order, of[i])
	}
	s.at = make([]int, len(pods))
	return s
}

// harder puts first the kind that may go to fewer nodes, then the one that asks for more.
func (s *search) harder(a, b int) int {
	places := func(k kind) int {
		n := 0
		for _, may := range k.may {
			if may {
				n++
			}
		}
		return n
	}
	if d := cmp.Compare(places(s.kinds[a]), places(s.kinds[b])); d != 0 {
		return d
	}
	for _, r := range s.resources {
		if d := cmp.Compare(s.kinds[b].Requests[r], s.kinds[a].Requests[r]); d != 0 {
			return d
		}
	}
	return cmp.Compare(a, b)
}

func (s *search) place() ([]int, error) {
	if !s.roomInSum() || !s.roomByKind() {
		return nil, nil
	}
	found, err := s.from(0)
	if err != nil || !found {
		return nil, err
	}
	at := make([]int, len(s.pods))
	for i, pod := range s.pods {
		at[pod] = s.at[i]
	}
	return at, nil
}

// roomInSum says whether the pods fit in sum, as if all nodes were one.
func (s *search) roomInSum() bool {
	var room int64
	left := map[string]int64{}
	for _, n := range s.nodes {
		room += max(0, n.Pods)
		for r, free := range n.Free {
			left[r] += max(0, free)
		}
	}
	for _, k := range s.kinds {
		room -= int64(k.count)
		for r, amount := range k.Requests {
			left[r] -= int64(k.count) * amount
		}
	}
	if room < 0 {
		return false
	}
	for _, r := range s.resources {
		if left[r] < 0 {
			return false
		}
	}
	return true
}

// roomByKind says whether each kind alone fits: a shortage mostly shows there.
func (s *search) roomByKind() bool {
	for _, k := range s.kinds {
		var sum int64
		for i, n := range s.nodes {
			if !k.may[i] {
				continue
			}
			fit := n.Pods
			for r, amount := range k.Requests {
				if amount > 0 {
					fit = min(fit, n.Free[r]/amount)
				}
			}
			sum += max(0, fit)
		}
		if sum < int64(k.count) {
			return false
		}
	}
	return true
}

// from places the pods from one on.
func (s *search) from(next int) (bool, error) {
	if next == len(s.order) {
		return true, nil
	}
	if s.steps++; s.steps > most {
		return false, ErrTooLarge
	}
	k := &s.kinds[s.order[next]]
	looks := make([]string, len(s.nodes))
	for i := range s.nodes {
		looks[i] = s.look(i)
	}
	state := fmt.Sprint(next) + strings.Join(slices.Sorted(slices.Values(looks)), ";")
	if s.failed[state] {
		return false, nil
	}
	tried := map[string]bool{}
	for i := range s.nodes {
		if tried[looks[i]] || !s.fits(i, k) {
			continue
		}
		tried[looks[i]] = true
		s.move(i, k, 1)
		s.at[next] = i
		if found, err := s.from(next + 1); found || err != nil {
			return found, err
		}
		s.move(i, k, -1)
	}
	s.failed[state] = true
	return false, nil
}

func (s *search) fits(i int, k *kind) bool {
	n := s.nodes[i]
	if !k.may[i] || n.Pods < 1 || k.Apart != "" && s.taken[domain(n, k.Apart)] > 0 {
		return false
	}
	for r, amount := range k.Requests {
		if amount > 0 && n.Free[r] < amount {
			return false
		}
	}
	return true
}

// move puts a pod on a node, or takes it away.
func (s *search) move(i int, k *kind, by int64) {
	n := &s.nodes[i]
	n.Pods -= by
	for r, amount := range k.Requests {
		n.Free[r] -= by * amount
	}
	if k.Apart != "" {
		s.taken[domain(*n, k.Apart)] += int(by)
	}
}

// look is all that matters of a node: nodes that look the same can be exchanged.
func (s *search) look(i int) string {
	n := s.nodes[i]
	var b strings.Builder
	fmt.Fprint(&b, n.Pods)
	for _, r := range s.resources {
		fmt.Fprint(&b, ",", n.Free[r])
	}
	for _, k := range s.kinds {
		fmt.Fprint(&b, ",", k.may[i])
	}
	for _, key := range s.keys {
		d := domain(n, key)
		if s.sizes[d] > 1 {
			fmt.Fprint(&b, ",", d)
		}
		fmt.Fprint(&b, ",", s.taken[d])
	}
	return b.String()
}

// domain is the nodes that have the same value of a label.
func domain(n Node, key string) string { return key + "=" + n.Labels[key] }
