package scenario

import (
	"cmp"
	"fmt"
)

// Delete takes gangs away with their group objects, or those objects alone, or some bound
// pods of one.
type Delete struct {
	// Gang is a gang's name, or a glob that stands for several.
	Gang string `json:"gang"`
	// Pods is how many bound pods to delete; 0 takes the gang away.
	Pods int `json:"pods,omitempty"`
	// Role is the role that the pods are of; any by default.
	Role string `json:"role,omitempty"`
	// Replaced creates each deleted pod anew once it is gone, as an operator does.
	Replaced bool `json:"replaced,omitempty"`
	// Group deletes the group object, and leaves the pods. Where the backend keeps a group that has
	// pods, the case is not applicable.
	Group bool `json:"group,omitempty"`
}

func (d *Delete) validate() error {
	switch {
	case d.Gang == "":
		return fmt.Errorf("gang: must be set")
	case d.Pods < 0:
		return fmt.Errorf("pods: %d must not be negative", d.Pods)
	case d.Group && d.Pods > 0:
		return fmt.Errorf("group: leaves the pods, and pods: %d takes some away", d.Pods)
	case d.Role != "" && d.Pods == 0:
		return fmt.Errorf("role: %q needs pods: a gang that is taken away goes whole", d.Role)
	case d.Replaced && d.Pods == 0:
		return fmt.Errorf("replaced: needs pods: a gang that is taken away is not replaced")
	}
	return nil
}

func (d *Delete) String() string {
	switch {
	case d.Group:
		return fmt.Sprintf("the group of %s is deleted", d.Gang)
	case d.Pods == 0:
		return fmt.Sprintf("%s is deleted", d.Gang)
	}
	text := fmt.Sprintf("%s of %s lost", Count(d.Pods, cmp.Or(d.Role, "pod")), d.Gang)
	if d.Replaced {
		text += " and replaced"
	}
	return text
}
