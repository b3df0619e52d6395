package scenario

import (
	"fmt"
	"path"
)

// Drain cordons nodes and evicts their pods, as kubectl drain does.
type Drain struct {
	// Nodes is a node's name, or a glob that stands for several.
	Nodes string `json:"nodes"`
	// Replaced creates each evicted pod anew once it is gone, as an operator does.
	Replaced bool `json:"replaced,omitempty"`
}

func (d *Drain) validate() error {
	if _, err := path.Match(d.Nodes, ""); err != nil || d.Nodes == "" {
		return fmt.Errorf("nodes: %q must be a node's name or a glob", d.Nodes)
	}
	return nil
}

func (d *Drain) String() string { return d.Nodes + " is drained" }
