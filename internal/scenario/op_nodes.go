package scenario

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation"
)

// Nodes adds fake nodes, or takes some away.
type Nodes struct {
	// Add is the number of nodes to add.
	Add int `json:"add,omitempty"`
	// Remove is the number of nodes to take away, the newest first.
	Remove int `json:"remove,omitempty"`
	// Replaced waits until the pods of the removed nodes are collected, and creates them
	// anew, as an operator does.
	Replaced bool `json:"replaced,omitempty"`
	// GPUs is the nvidia.com/gpu of each added node.
	GPUs int `json:"gpus,omitempty"`
	// CPU is the number of CPUs of each added node; 32 by default.
	CPU int `json:"cpu,omitempty"`
	// Memory is that of each added node, a quantity; 256Gi by default.
	Memory string `json:"memory,omitempty"`
	// Resources are further extended resources of each added node, such as rdma/hca.
	Resources map[string]int64 `json:"resources,omitempty"`
	// Pods is the number of pods that each added node takes; 110 by default.
	Pods int `json:"pods,omitempty"`
	// Labels are put on each added node, for pods that select their nodes, and for topology.
	Labels map[string]string `json:"labels,omitempty"`
	// Taints keep pods from each added node that do not tolerate them.
	Taints []Taint `json:"taints,omitempty"`
	// Cordoned adds nodes that are closed to new pods.
	Cordoned bool `json:"cordoned,omitempty"`
}

func (n *Nodes) validate() error {
	switch {
	case n.Add < 0 || n.Remove < 0:
		return fmt.Errorf("add: %d and remove: %d must not be negative", n.Add, n.Remove)
	case (n.Add == 0) == (n.Remove == 0):
		return fmt.Errorf("add: exactly one of add and remove must be set")
	case n.Remove > 0 && !reflect.DeepEqual(*n, Nodes{Remove: n.Remove, Replaced: n.Replaced}):
		return fmt.Errorf("remove: takes nodes away, the other fields are for nodes that are added")
	case n.GPUs < 0 || n.CPU < 0 || n.Pods < 0:
		return fmt.Errorf("gpus: %d, cpu: %d and pods: %d must not be negative", n.GPUs, n.CPU, n.Pods)
	}
	if err := validateQuantity("memory", n.Memory); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(n.Resources)) {
		if e := validation.IsQualifiedName(name); len(e) > 0 || n.Resources[name] < 0 {
			return fmt.Errorf("resources: %s: %d must be a resource's name, and not negative", name, n.Resources[name])
		}
	}
	if err := validateTaints(n.Taints); err != nil {
		return err
	}
	return validateLabels("labels", n.Labels)
}

// validateQuantity checks an amount; "" is none.
func validateQuantity(field, value string) error {
	if value == "" {
		return nil
	}
	amount, err := resource.ParseQuantity(value)
	if err == nil && amount.Sign() < 0 {
		err = errors.New("must not be negative")
	}
	if err != nil {
		return fmt.Errorf("%s: %q: %w", field, value, err)
	}
	return nil
}

func (n *Nodes) String() string {
	if n.Remove > 0 {
		return Count(n.Remove, "node") + " removed"
	}
	text := fmt.Sprintf("%s added, %s each", Count(n.Add, "node"), Count(n.GPUs, "GPU"))
	for _, name := range slices.Sorted(maps.Keys(n.Resources)) {
		text += fmt.Sprintf(", %d %s", n.Resources[name], name)
	}
	if n.Pods > 0 {
		text += ", for " + Count(n.Pods, "pod")
	}
	var labels []string
	for _, key := range slices.Sorted(maps.Keys(n.Labels)) {
		labels = append(labels, key+"="+n.Labels[key])
	}
	if len(labels) > 0 {
		text += ", with " + strings.Join(labels, ", ")
	}
	if n.Cordoned {
		text += ", cordoned"
	}
	if len(n.Taints) > 0 {
		text += ", " + taints(n.Taints)
	}
	return text
}
