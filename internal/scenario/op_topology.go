package scenario

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Topology tells the backend which of the nodes that are there are near each other: those
// with the same value of a label.
type Topology struct {
	// Label is the node label.
	Label string `json:"label"`
}

func (t *Topology) validate() error {
	if e := validation.IsQualifiedName(t.Label); len(e) > 0 {
		return fmt.Errorf("label: %q: %s", t.Label, e[0])
	}
	return nil
}

func (t *Topology) String() string { return "nodes are near each other by the label " + t.Label }
