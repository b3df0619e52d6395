package oracle

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

const gpu = "nvidia.com/gpu"

// gpus are nodes with so many free GPUs each.
func gpus(free ...int64) []Node {
	var all []Node
	for i, n := range free {
		all = append(all, Node{Free: map[string]int64{gpu: n}, Pods: 110, Labels: map[string]string{"host": fmt.Sprint(i)}})
	}
	return all
}

// want are pods that ask for so many GPUs each.
func want(asked ...int64) []Pod {
	var all []Pod
	for _, n := range asked {
		all = append(all, Pod{Requests: map[string]int64{gpu: n}})
	}
	return all
}

func TestPlace(t *testing.T) {
	with := func(pods []Pod, change func(*Pod)) []Pod {
		for i := range pods {
			change(&pods[i])
		}
		return pods
	}
	racks := func(nodes []Node, names ...string) []Node {
		for i, name := range names {
			nodes[i].Labels["rack"] = name
		}
		return nodes
	}
	tainted := gpus(1, 1)
	tainted[0].Taints = []string{"broken"}
	there := racks(gpus(1, 1), "a", "b")
	there[0].Apart = []string{"host"}
	full := gpus(4)
	full[0].Pods = 1
	tests := map[string]struct {
		nodes    []Node
		pods     []Pod
		together string
		fits     bool
	}{
		"nothing":                     {nil, nil, "", true},
		"no node":                     {nil, want(1), "", false},
		"just":                        {gpus(2, 2), want(1, 1, 2), "", true},
		"one too many":                {gpus(2, 2), want(1, 1, 2, 1), "", false},
		"in sum only":                 {gpus(6, 2, 2, 2), want(4, 4, 4), "", false},
		"greedy would fail":           {gpus(5, 4), want(3, 2, 2, 2), "", true},
		"nothing asked":               {gpus(0), want(0, 0), "", true},
		"a pod too many for the node": {full, want(1, 1), "", false},
		"tainted":                     {tainted, want(1, 1), "", false},
		"tolerated":                   {tainted, with(want(1, 1), func(p *Pod) { p.Tolerates = []string{"broken"} }), "", true},
		"selected":                    {gpus(1, 1), with(want(1), func(p *Pod) { p.NodeSelector = map[string]string{"host": "1"} }), "", true},
		"selected, and full":          {gpus(1, 1), with(want(1, 1), func(p *Pod) { p.NodeSelector = map[string]string{"host": "1"} }), "", false},
		"apart":                       {gpus(4, 4), with(want(1, 1), func(p *Pod) { p.Apart = "host" }), "", true},
		"not apart enough":            {gpus(4, 4), with(want(1, 1, 1), func(p *Pod) { p.Apart = "host" }), "", false},
		"apart by rack":               {racks(gpus(4, 4, 4), "a", "a", "b"), with(want(1, 1, 1), func(p *Pod) { p.Apart = "rack" }), "", false},
		"apart by a label of no node": {gpus(4), with(want(1), func(p *Pod) { p.Apart = "rack" }), "", false},
		"apart from what is there":    {there, with(want(1), func(p *Pod) { p.Apart = "host" }), "", true},
		"and no other node":           {there, with(want(1, 1), func(p *Pod) { p.Apart = "host" }), "", false},
		"apart by another label":      {there, with(want(1, 1), func(p *Pod) { p.Apart = "rack" }), "", true},
		"together":                    {racks(gpus(1, 1, 2, 0), "a", "b", "b", "a"), want(1, 1, 1), "rack", true},
		"one free node a rack":        {racks(gpus(1, 1, 1), "a", "b", "c"), want(1, 1), "rack", false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			at, err := Place(test.nodes, test.pods, test.together)
			if err != nil {
				t.Fatal(err)
			}
			if fits := at != nil; fits != test.fits {
				t.Fatalf("placed %v, want a place: %t", at, test.fits)
			}
			if problem := check(test.nodes, test.pods, at); test.fits && problem != "" {
				t.Errorf("placed %v: %s", at, problem)
			}
		})
	}
}

// Sizes that cases use, with room for all but one, are decided soon.
func TestLarge(t *testing.T) {
	nodes := gpus(slices.Repeat([]int64{8}, 100)...)
	pods := want(slices.Repeat([]int64{4, 3, 1}, 100)...)
	if at, err := Place(nodes, pods, ""); at == nil || err != nil {
		t.Errorf("300 pods on 100 nodes: %v, %v", at, err)
	}
	if at, err := Place(nodes, append(pods, want(1)...), ""); at != nil || err != nil {
		t.Errorf("one pod too many: %v, %v", at, err)
	}
}

// check says what is wrong with a placement.
func check(nodes []Node, pods []Pod, at []int) string {
	if len(at) != len(pods) {
		return "it is not of all pods"
	}
	apart := map[string]bool{}
	asked, count := map[int]map[string]int64{}, map[int]int64{}
	for i, p := range pods {
		n := nodes[at[i]]
		if !mayBe(n, p) {
			return fmt.Sprintf("pod %d may not be on node %d", i, at[i])
		}
		if p.Apart != "" {
			if d := domain(n, p.Apart); apart[d] {
				return "two pods are not apart: " + d
			} else {
				apart[d] = true
			}
		}
		if asked[at[i]] == nil {
			asked[at[i]] = map[string]int64{}
		}
		count[at[i]]++
		if count[at[i]] > n.Pods {
			return fmt.Sprintf("node %d has too many pods", at[i])
		}
		for r, amount := range p.Requests {
			if asked[at[i]][r] += amount; amount > 0 && asked[at[i]][r] > n.Free[r] {
				return fmt.Sprintf("node %d has too little %s", at[i], r)
			}
		}
	}
	return ""
}

// mayBe says whether a pod may be on a node, room aside, by what the fields' comments say.
func mayBe(n Node, p Pod) bool {
	selected := true
	for key := range p.NodeSelector {
		selected = selected && n.Labels[key] == p.NodeSelector[key]
	}
	tolerated := 0
	for _, t := range n.Taints {
		for _, other := range p.Tolerates {
			if t == other {
				tolerated++
				break
			}
		}
	}
	_, labelled := n.Labels[p.Apart]
	kept := p.Apart != "" && (!labelled || slices.Contains(n.Apart, p.Apart))
	return selected && tolerated == len(n.Taints) && !kept
}

// some draws a small cluster and some pods.
func some(t *rapid.T) ([]Node, []Pod) {
	nodes := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Node {
		return Node{
			Free:   map[string]int64{gpu: rapid.Int64Range(0, 4).Draw(t, "gpus"), "cpu": rapid.Int64Range(0, 4).Draw(t, "cpu")},
			Pods:   rapid.Int64Range(0, 4).Draw(t, "pods"),
			Labels: map[string]string{"rack": rapid.SampledFrom([]string{"a", "b"}).Draw(t, "rack")},
			Taints: rapid.SampledFrom([][]string{nil, {"x"}}).Draw(t, "taints"),
			Apart:  rapid.SampledFrom([][]string{nil, nil, {"host"}, {"rack"}}).Draw(t, "apart"),
		}
	}), 0, 4).Draw(t, "nodes")
	for i := range nodes {
		if rapid.IntRange(0, 3).Draw(t, "labelled") > 0 {
			nodes[i].Labels["host"] = fmt.Sprint(i)
		}
	}
	pods := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) Pod {
		return Pod{
			Requests:     map[string]int64{gpu: rapid.Int64Range(0, 3).Draw(t, "gpus"), "cpu": rapid.Int64Range(0, 3).Draw(t, "cpu")},
			NodeSelector: rapid.SampledFrom([]map[string]string{nil, {"rack": "a"}, {"host": "1"}}).Draw(t, "selector"),
			Tolerates:    rapid.SampledFrom([][]string{nil, {"x"}}).Draw(t, "tolerates"),
			Apart:        rapid.SampledFrom([]string{"", "rack", "host"}).Draw(t, "apart"),
		}
	}), 0, 5).Draw(t, "pods")
	return nodes, pods
}

// The search finds a placement just where trying every one does.
func TestExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes, pods := some(t)
		together := rapid.SampledFrom([]string{"", "rack"}).Draw(t, "together")
		at, err := Place(nodes, pods, together)
		if err != nil {
			t.Fatal(err)
		}
		if at != nil {
			if problem := check(nodes, pods, at); problem != "" {
				t.Fatalf("placed %v: %s", at, problem)
			}
			return
		}
		if at := every(nodes, pods, together); at != nil {
			t.Fatalf("no place was found, and there is %v", at)
		}
	})
}

// every tries every placement there is.
func every(nodes []Node, pods []Pod, together string) []int {
	if len(pods) == 0 {
		return []int{}
	}
	at := make([]int, len(pods))
	var try func(i int) bool
	try = func(i int) bool {
		if i == len(pods) {
			for _, n := range at {
				if together != "" && nodes[n].Labels[together] != nodes[at[0]].Labels[together] {
					return false
				}
			}
			return check(nodes, pods, at) == ""
		}
		for n := range nodes {
			at[i] = n
			if try(i + 1) {
				return true
			}
		}
		return false
	}
	if try(0) {
		return at
	}
	return nil
}

// More room, or fewer pods, never make it worse.
func TestMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		nodes, pods := some(t)
		at, err := Place(nodes, pods, "")
		if err != nil {
			t.Fatal(err)
		}
		if at == nil {
			return
		}
		more := append(slices.Clone(nodes), Node{Labels: map[string]string{"host": "more", "rack": "c"}})
		if at, err := Place(more, pods, ""); at == nil || err != nil {
			t.Fatalf("with another node: %v, %v", at, err)
		}
		if len(pods) > 0 {
			if at, err := Place(nodes, pods[1:], ""); at == nil || err != nil {
				t.Fatalf("with a pod less: %v, %v", at, err)
			}
		}
	})
}
