package workload

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/gangctl/gangctl/internal/oracle"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// room is nodes of one shape, and how many of them make each of the situations that the
// cases need. The oracle counts them.
type room struct {
	// node is the shape. As many of the scarce resource are on one as a pod asks for at most.
	node   scenario.Nodes
	scarce string
	// short is the most that don't hold the gang's minimum.
	short int
	// whole is the fewest that hold the gang.
	whole int
	// both is the most that don't hold another gang's minimum besides.
	both int
	// beside is how many strangers fit beside the gang on whole.
	beside int
	// stranger asks for as much as the role does that asks for most.
	stranger scenario.Role
}

// room finds what can run short so that some of the gang's pods fit and not all it needs.
func (g *Gang) room() (*room, error) {
	all := g.resources()
	for _, r := range all {
		found, err := g.roomBy(r)
		if err != nil {
			return nil, fmt.Errorf("%s: %s: %w", g.file, g.Name, err)
		}
		if found != nil {
			return found, nil
		}
	}
	return nil, fmt.Errorf("%s: %s: no shortage can be made for its %d pods, of which it needs %d, by %s: give all of them requests, and two of them the same",
		g.file, g.Name, len(g.needs), g.Min, cmp.Or(strings.Join(all, ", "), "anything that they request"))
}

// resources are those that pods request: GPUs first, then other devices, CPU and memory.
func (g *Gang) resources() []string {
	asked := map[string]bool{}
	for _, p := range g.needs {
		for r, amount := range p.Requests {
			asked[r] = asked[r] || amount > 0
		}
	}
	rank := func(r string) int {
		switch r {
		case timeline.GPU:
			return 0
		case "cpu":
			return 2
		case "memory":
			return 3
		}
		return 1
	}
	all := slices.DeleteFunc(slices.Sorted(maps.Keys(asked)), func(r string) bool { return r == "ephemeral-storage" || !asked[r] })
	slices.SortStableFunc(all, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}

// roomBy makes one resource scarce, and has plenty of the others. Nil is no way to.
func (g *Gang) roomBy(scarce string) (*room, error) {
	r := &room{node: g.shape(scarce), scarce: scarce}
	fits := func(n int, pods []timeline.Pod) (bool, error) {
		at, err := oracle.Place(slices.Repeat([]oracle.Node{r.free()}, n), asOracle(pods), "")
		return at != nil, err
	}
	fewest := func(pods []timeline.Pod) (int, error) {
		for n := 1; n <= len(pods); n++ {
			if ok, err := fits(n, pods); ok || err != nil {
				return n, err
			}
		}
		return 0, fmt.Errorf("a pod asks for more than any node of the lab has")
	}
	bySize := slices.SortedStableFunc(slices.Values(g.needs), func(a, b timeline.Pod) int {
		return cmp.Compare(a.Requests[scarce], b.Requests[scarce])
	})
	least := bySize[:g.Min]
	short, err := fewest(least)
	if err != nil {
		return nil, err
	}
	if r.whole, err = fewest(g.needs); err != nil {
		return nil, err
	}
	both, err := fewest(slices.Concat(g.needs, least))
	if err != nil {
		return nil, err
	}
	r.short, r.both = short-1, both-1
	if r.short < 1 || r.both < r.whole {
		return nil, nil
	}
	largest := slices.MaxFunc(g.Roles, func(a, b scenario.Role) int {
		return cmp.Compare(g.of(a).Requests[scarce], g.of(b).Requests[scarce])
	})
	r.stranger = largest
	for pods := append(slices.Clone(g.needs), g.of(largest)); ; pods = append(pods, g.of(largest)) {
		ok, err := fits(r.whole, pods)
		if err != nil {
			return nil, err
		}
		if !ok {
			return r, nil
		}
		r.beside++
	}
}

// strangersAsk says whether strangers can ask for what is scarce, in the words of cases.
func (r *room) strangersAsk() bool {
	return slices.Contains([]string{timeline.GPU, "cpu", "memory"}, r.scarce)
}

// of is what a pod of the role needs.
func (g *Gang) of(r scenario.Role) timeline.Pod {
	i := 0
	for _, other := range g.Roles {
		if other.Name == r.Name {
			break
		}
		i += other.Count
	}
	return g.needs[i]
}

// shape is a node with as much of the scarce resource as one pod asks for at most, and
// enough of the others for two gangs.
func (g *Gang) shape(scarce string) scenario.Nodes {
	most, sum := timeline.Resources{}, timeline.Resources{}
	for _, p := range g.needs {
		for r, amount := range p.Requests {
			most[r] = max(most[r], amount)
			sum[r] += amount
		}
	}
	have := func(r string, atLeast int64) int64 {
		if r == scarce {
			return most[r]
		}
		return max(2*sum[r], atLeast)
	}
	n := scenario.Nodes{GPUs: int(have(timeline.GPU, 0)), Labels: g.labels, Pods: 110}
	n.CPU = int((have("cpu", 32_000) + 999) / 1000)
	n.Memory = resource.NewQuantity(have("memory", 256<<30), resource.BinarySI).String()
	for r := range sum {
		if !slices.Contains([]string{timeline.GPU, "cpu", "memory", "ephemeral-storage"}, r) {
			if n.Resources == nil {
				n.Resources = map[string]int64{}
			}
			n.Resources[r] = have(r, 0)
		}
	}
	return n
}

// free is a node of the shape, as the oracle has it.
func (r *room) free() oracle.Node {
	memory := resource.MustParse(r.node.Memory)
	free := map[string]int64{
		timeline.GPU: int64(r.node.GPUs), "cpu": int64(r.node.CPU) * 1000, "memory": memory.Value(), "ephemeral-storage": 200 << 30,
	}
	maps.Copy(free, r.node.Resources)
	return oracle.Node{Free: free, Pods: int64(r.node.Pods), Labels: r.node.Labels}
}

func asOracle(pods []timeline.Pod) []oracle.Pod {
	var all []oracle.Pod
	for i := range pods {
		all = append(all, oracle.PodOf(&pods[i]))
	}
	return all
}
