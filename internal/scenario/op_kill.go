package scenario

import "fmt"

// Kill ends a component at once, as a crash does.
type Kill struct {
	// Component is a process's name, "scheduler" for the backend's scheduler, or "webhooks"
	// for what is behind the admission webhooks.
	Component string `json:"component"`
	// Restart starts it again, as a kubelet would.
	Restart bool `json:"restart,omitempty"`
	// After is what is seen first; by default it is killed at once.
	After *Moment `json:"after,omitempty"`
}

// Moment is when a gang has so many pods bound.
type Moment struct {
	// Gang is a gang's name.
	Gang string `json:"gang"`
	// Bound is the number of its pods.
	Bound int `json:"bound"`
}

func (k *Kill) validate() error {
	if k.Component == "" {
		return fmt.Errorf("component: must be set")
	}
	if k.After != nil && (k.After.Gang == "" || k.After.Bound < 1) {
		return fmt.Errorf("after: gang: %q must be set, and bound: %d at least 1", k.After.Gang, k.After.Bound)
	}
	return nil
}

// are is a component and its verb.
func are(component string) string {
	if component == Webhooks {
		return "what is behind the webhooks is"
	}
	return component + " is"
}

func (k *Kill) String() string {
	text := are(k.Component) + " killed"
	if k.Restart {
		text += " and started again"
	}
	if k.After != nil {
		text += fmt.Sprintf(", once %s of %s is bound", Count(k.After.Bound, "pod"), k.After.Gang)
	}
	return text
}
