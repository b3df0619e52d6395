package scenario

import "fmt"

// Nodes adds fake nodes, or takes some away.
type Nodes struct {
	// Add is the number of nodes to add.
	Add int `json:"add,omitempty"`
	// Remove is the number of nodes to take away, the newest first.
	Remove int `json:"remove,omitempty"`
	// GPUs is the nvidia.com/gpu of each added node.
	GPUs int `json:"gpus,omitempty"`
	// CPU is the number of CPUs of each added node; 32 by default.
	CPU int `json:"cpu,omitempty"`
}

func (n *Nodes) validate() error {
	switch {
	case n.Add < 0 || n.Remove < 0:
		return fmt.Errorf("add: %d and remove: %d must not be negative", n.Add, n.Remove)
	case (n.Add == 0) == (n.Remove == 0):
		return fmt.Errorf("add: exactly one of add and remove must be set")
	case n.Remove > 0 && (n.GPUs != 0 || n.CPU != 0):
		return fmt.Errorf("gpus: gpus and cpu are for nodes that are added")
	case n.GPUs < 0 || n.CPU < 0:
		return fmt.Errorf("gpus: %d and cpu: %d must not be negative", n.GPUs, n.CPU)
	}
	return nil
}

func (n *Nodes) String() string {
	if n.Remove > 0 {
		return count(n.Remove, "node") + " removed"
	}
	return fmt.Sprintf("%s added, %s each", count(n.Add, "node"), count(n.GPUs, "GPU"))
}
