// Package oracle says what fits: whether pods can all be placed at once, each on one
// node, by what they request and where they may go. It is exact, and knows nothing of any
// scheduler.
package oracle

import (
	"errors"
	"maps"
	"slices"

	"github.com/gangctl/gangctl/internal/timeline"
)

// Node is a node and what is free on it.
type Node struct {
	// Free is the allocatable of each resource, less what pods hold.
	Free map[string]int64
	// Pods is how many more pods it takes.
	Pods int64
	// Labels are the node's own.
	Labels map[string]string
	// Taints are the keys of those that keep pods away. A cordon is one.
	Taints []string
	// Apart are node labels that keep away the pods that want to be apart by one of them:
	// their like is there already.
	Apart []string
}

// Pod is what a pod asks of its node.
type Pod struct {
	Requests map[string]int64
	// NodeSelector are labels that the node must have.
	NodeSelector map[string]string
	// Tolerates are the keys of the taints that do not keep it away.
	Tolerates []string
	// Apart is a node label: no two pods that name it may be on nodes with the same value
	// of it. "" is none.
	Apart string
}

// PodOf is what a pod of a timeline asks of its node.
func PodOf(p *timeline.Pod) Pod {
	return Pod{Requests: p.Requests, NodeSelector: p.NodeSelector, Tolerates: p.Tolerates, Apart: p.Apart}
}

// ErrTooLarge is for pods that could be placed in more ways than can be looked at.
var ErrTooLarge = errors.New("there are too many ways to place the pods: the oracle gave up")

// Place finds a node for each pod: its index, in the order of the pods. Nil, without an
// error, says that there is no way. Where together is a node label, all pods must be on
// nodes with one value of it.
func Place(nodes []Node, pods []Pod, together string) ([]int, error) {
	if together == "" || len(pods) == 0 {
		return newSearch(nodes, pods).place()
	}
	domains := map[string][]int{}
	for i, n := range nodes {
		if value, ok := n.Labels[together]; ok {
			domains[value] = append(domains[value], i)
		}
	}
	var gaveUp error
	for _, value := range slices.Sorted(maps.Keys(domains)) {
		var some []Node
		for _, i := range domains[value] {
			some = append(some, nodes[i])
		}
		at, err := newSearch(some, pods).place()
		if err != nil {
			gaveUp = err
		}
		if at == nil {
			continue
		}
		for i := range at {
			at[i] = domains[value][at[i]]
		}
		return at, nil
	}
	return nil, gaveUp
}

// allowed says whether the pod may be on the node, room aside.
func allowed(n Node, p Pod) bool {
	for key, value := range p.NodeSelector {
		if have, ok := n.Labels[key]; !ok || have != value {
			return false
		}
	}
	for _, t := range n.Taints {
		if !slices.Contains(p.Tolerates, t) {
			return false
		}
	}
	if slices.Contains(n.Apart, p.Apart) {
		return false
	}
	// As upstream has it, a node without the label is in no domain, and takes none of them.
	_, ok := n.Labels[p.Apart]
	return p.Apart == "" || ok
}
