package scenario

import (
	"fmt"
	"maps"
	"slices"
)

// Need is something that a case can't do without, and that not every cluster or backend has.
type Need string

// The needs.
const (
	// NeedKubelet is real nodes, where what does not fit is turned away.
	NeedKubelet Need = "kubelet"
	// NeedDeployments is a bundle that runs something of its own.
	NeedDeployments Need = "deployments"
	// NeedWebhooks is a bundle with admission webhooks.
	NeedWebhooks Need = "webhooks"
	// NeedPrevious is an earlier release of the backend that the same Kubernetes serves.
	NeedPrevious Need = "previous"
	// NeedNoGangs is a configuration from which gang scheduling can be taken.
	NeedNoGangs Need = "no-gangs"
)

// Webhooks stands for the components behind admission webhooks, where a step names one.
const Webhooks = "webhooks"

var allNeeds = []Need{NeedKubelet, NeedDeployments, NeedWebhooks, NeedPrevious, NeedNoGangs}

func validateNeeds(needs []Need) error {
	for i, n := range needs {
		if !slices.Contains(allNeeds, n) {
			return fmt.Errorf("needs[%d]: %q must be one of %q", i, n, allNeeds)
		}
	}
	return nil
}

// Needs are what the case says that it needs, and what its steps do.
func (s *Scenario) Needs() []Need {
	set := map[Need]bool{}
	for _, n := range s.Spec.Needs {
		set[n] = true
	}
	s.each(func(step *Step) {
		switch {
		case step.Sync != nil && step.Sync.Bundle == PreviousBundle:
			set[NeedPrevious] = true
		case step.Sync != nil && step.Sync.Bundle == NoGangsBundle:
			set[NeedNoGangs] = true
		case step.Kill != nil && step.Kill.Component == Webhooks, step.Pause != nil && step.Pause.Component == Webhooks:
			set[NeedWebhooks] = true
		}
		if step.reinstalls() {
			set[NeedDeployments] = true
		}
	})
	return slices.Sorted(maps.Keys(set))
}

// NeedsOf are the needs of several cases, each once.
func NeedsOf(cases []*Scenario) []Need {
	set := map[Need]bool{}
	for _, c := range cases {
		for _, n := range c.Needs() {
			set[n] = true
		}
	}
	return slices.Sorted(maps.Keys(set))
}

// Reinstalls says that the case, or its control, changes the installation: no other case
// can follow in its lab.
func (s *Scenario) Reinstalls() bool {
	found := false
	s.each(func(step *Step) { found = found || step.reinstalls() })
	return found
}

func (s *Step) reinstalls() bool {
	return s.Sync != nil || s.Uninstall != nil || s.Enforce != nil || s.Break != nil
}

// each visits every step, those of repeated blocks and the control's own included.
func (s *Scenario) each(visit func(*Step)) {
	var walk func([]Step)
	walk = func(steps []Step) {
		for i := range steps {
			visit(&steps[i])
			if r := steps[i].Repeat; r != nil {
				walk(r.Steps)
			}
		}
	}
	walk(s.Spec.Steps)
	if does := s.Spec.Control.Does; does != nil {
		visit(does)
	}
}
