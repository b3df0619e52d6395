package scenario

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Role is a number of equal pods of a gang.
type Role struct {
	// Name is the role's, unique in the gang. An operator knows it by a replica type.
	Name string `json:"name"`
	// Count is the number of its pods, at most 100000.
	Count int `json:"count"`
	// CPU is each pod's request, a quantity; a pod without one requests none.
	CPU string `json:"cpu,omitempty"`
	// Memory is each pod's request, a quantity; a pod without one requests none.
	Memory string `json:"memory,omitempty"`
	// GPUs is the nvidia.com/gpu of each pod.
	GPUs int `json:"gpus,omitempty"`
	// Priority is the pods' priority, by a PriorityClass of the run's own; 0 names none.
	Priority int `json:"priority,omitempty"`
	// Late is how many of the pods, the last ones, are left to a later complete step.
	Late int `json:"late,omitempty"`
	// Gated is how many of the pods, the last ones, have a scheduling gate until a later
	// complete step.
	Gated int `json:"gated,omitempty"`
	// First makes the pods a job's initializers: they come before the others, end by
	// themselves, and are no part of the gang. They go by the name <gang>-<role>.
	First bool `json:"first,omitempty"`
	// Scheduler is default-scheduler for pods that are sent to that one, gang or not.
	Scheduler string `json:"scheduler,omitempty"`
	// NodeSelector are labels that a pod's node must have.
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	// AntiAffinity is a node label: no two pods of the gang are to be on nodes with the
	// same value of it.
	AntiAffinity string `json:"antiAffinity,omitempty"`
}

// validateRole names the field and the value of the first thing wrong with a role.
func (s *Submit) validateRole(i int) error {
	r := s.Roles[i]
	if e := validation.IsDNS1123Label(r.Name); len(e) > 0 {
		return fmt.Errorf("roles[%d].name: %q: %s", i, r.Name, e[0])
	}
	if r.Count < 1 || r.Count > maxCount || r.GPUs < 0 {
		return fmt.Errorf("roles[%d]: count: %d must be from 1 to %d, and gpus: %d not negative", i, r.Count, maxCount, r.GPUs)
	}
	if r.Priority < 0 || r.Priority > MaxPriority {
		return fmt.Errorf("roles[%d].priority: %d must be between 0 and %d", i, r.Priority, MaxPriority)
	}
	if r.Late < 0 || r.Late > r.Count {
		return fmt.Errorf("roles[%d].late: %d must be between 0 and the role's %d pods", i, r.Late, r.Count)
	}
	if r.Gated < 0 || r.Gated+r.Late > r.Count {
		return fmt.Errorf("roles[%d].gated: %d must be between 0 and the role's %d pods that are not late", i, r.Gated, r.Count-r.Late)
	}
	if r.Scheduler != "" && r.Scheduler != DefaultScheduler {
		return fmt.Errorf("roles[%d].scheduler: %q must be %s, or left out for the backend's", i, r.Scheduler, DefaultScheduler)
	}
	if err := validateLabels(fmt.Sprintf("roles[%d].nodeSelector", i), r.NodeSelector); err != nil {
		return err
	}
	if e := validation.IsQualifiedName(r.AntiAffinity); r.AntiAffinity != "" && len(e) > 0 {
		return fmt.Errorf("roles[%d].antiAffinity: %q: %s", i, r.AntiAffinity, e[0])
	}
	for _, q := range []struct{ field, value string }{{"cpu", r.CPU}, {"memory", r.Memory}} {
		if err := validateQuantity(fmt.Sprintf("roles[%d].%s", i, q.field), q.value); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(s.Roles[:i], func(o Role) bool { return o.Name == r.Name }) {
		return fmt.Errorf("roles[%d].name: %q is the name of an earlier role", i, r.Name)
	}
	return nil
}
