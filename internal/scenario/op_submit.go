package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Submit creates the group objects and the pods of one gang, or of several alike.
type Submit struct {
	// Gang is the gang's name; copies are named <gang>-1, <gang>-2 and so on.
	Gang string `json:"gang"`
	// Copies is the number of gangs, at most 5000; 0 is one gang without a number.
	Copies int `json:"copies,omitempty"`
	// Interleaved creates the copies' pods in turn, not gang by gang.
	Interleaved bool `json:"interleaved,omitempty"`
	// Min is the gang's minimum; all of its pods by default.
	Min int `json:"min,omitempty"`
	// Ungrouped pods go to the same scheduler without a group: strangers.
	Ungrouped bool `json:"ungrouped,omitempty"`
	// GroupLate leaves the group object to a later complete step.
	GroupLate bool `json:"groupLate,omitempty"`
	// Roles are the gang's pods.
	Roles []Role `json:"roles"`
	// ManifestFile is a job as its author wrote it, below conformance/. It is what is
	// submitted where an operator serves its kind and the scheduler is the one that it
	// asks for, if any; else the roles are.
	ManifestFile string `json:"manifest,omitempty"`

	// Manifest is what the file holds, once loaded.
	Manifest *Manifest `json:"-"`
}

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
	// Scheduler is default-scheduler for pods that are sent to that one, gang or not.
	Scheduler string `json:"scheduler,omitempty"`
	// NodeSelector are labels that a pod's node must have.
	NodeSelector map[string]string `json:"nodeSelector,omitempty"`
	// AntiAffinity is a node label: no two pods of the gang are to be on nodes with the
	// same value of it.
	AntiAffinity string `json:"antiAffinity,omitempty"`
}

// What is more than these is a slip, and would take all memory.
const (
	maxCopies = 5_000
	maxCount  = 100_000
)

// MaxPriority is the highest that a PriorityClass of a user may have.
const MaxPriority = 1_000_000_000

func (s *Submit) validate() error {
	for _, name := range []string{s.Gang, fmt.Sprintf("%s-%d", s.Gang, s.Copies)} {
		if e := validation.IsDNS1123Label(name); len(e) > 0 {
			return fmt.Errorf("gang: %q: %s", name, e[0])
		}
	}
	if s.Copies < 0 || s.Copies > maxCopies || (s.Interleaved && s.Copies < 2) {
		return fmt.Errorf("copies: %d must be 2 or more to be interleaved, never negative, and at most %d", s.Copies, maxCopies)
	}
	if len(s.Roles) == 0 {
		return fmt.Errorf("roles: there must be one")
	}
	for i, r := range s.Roles {
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
	}
	if s.Min < 0 || s.Min > s.Size() {
		return fmt.Errorf("min: %d must be between 1 and the gang's %d pods", s.Min, s.Size())
	}
	return nil
}

// Size is the number of pods of one gang.
func (s *Submit) Size() int {
	n := 0
	for _, r := range s.Roles {
		n += r.Count
	}
	return n
}

// Minimum is the number of pods below which one gang is of no use.
func (s *Submit) Minimum() int {
	if s.Min > 0 {
		return s.Min
	}
	return s.Size()
}

// LatePods is how many pods of one gang are left to a later step.
func (s *Submit) LatePods() int {
	n := 0
	for _, r := range s.Roles {
		n += r.Late
	}
	return n
}

// Names lists the gangs that the step submits.
func (s *Submit) Names() []string {
	if s.Copies == 0 {
		return []string{s.Gang}
	}
	names := make([]string, s.Copies)
	for i := range names {
		names[i] = fmt.Sprintf("%s-%d", s.Gang, i+1)
	}
	return names
}

// Has says whether the step submits a gang of that name.
func (s *Submit) Has(name string) bool {
	if s.Copies == 0 {
		return name == s.Gang
	}
	number, ok := strings.CutPrefix(name, s.Gang+"-")
	n, err := strconv.Atoi(number)
	return ok && err == nil && n >= 1 && n <= s.Copies && strconv.Itoa(n) == number
}

func (s *Submit) String() string {
	var roles []string
	for _, r := range s.Roles {
		what := fmt.Sprintf("%d %s", r.Count, r.Name)
		if r.GPUs > 0 {
			what += fmt.Sprintf(" × %d GPU", r.GPUs)
		}
		if r.Priority > 0 {
			what += fmt.Sprintf(" of priority %d", r.Priority)
		}
		if r.Scheduler != "" {
			what += " for " + r.Scheduler
		}
		if r.Late > 0 {
			what += fmt.Sprintf(" (%d of them late)", r.Late)
		}
		roles = append(roles, what)
	}
	text := strings.Join(roles, " + ")
	switch {
	case s.Ungrouped:
		return fmt.Sprintf("%s comes, in no gang: %s", s.Gang, text)
	case s.Copies > 0:
		return fmt.Sprintf("%d gangs %s come, min %d each: %s", s.Copies, s.Gang, s.Minimum(), text)
	}
	return fmt.Sprintf("gang %s comes, min %d: %s", s.Gang, s.Minimum(), text)
}

// Submits lists every submit step, those of repeated blocks included.
func Submits(steps []Step) []*Submit {
	var all []*Submit
	for i := range steps {
		if steps[i].Submit != nil {
			all = append(all, steps[i].Submit)
		}
		if r := steps[i].Repeat; r != nil {
			all = append(all, Submits(r.Steps)...)
		}
	}
	return all
}
