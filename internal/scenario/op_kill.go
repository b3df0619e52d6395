package scenario

import "fmt"

// Kill ends a component at once, as a crash does.
type Kill struct {
	// Component is a process's name, or "scheduler" for the backend's scheduler.
	Component string `json:"component"`
	// Restart starts it again, as a kubelet would.
	Restart bool `json:"restart,omitempty"`
}

func (k *Kill) validate() error {
	if k.Component == "" {
		return fmt.Errorf("component: must be set")
	}
	return nil
}

func (k *Kill) String() string {
	if k.Restart {
		return k.Component + " is killed and started again"
	}
	return k.Component + " is killed"
}
