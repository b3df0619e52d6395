package scenario

import "fmt"

// Pause halts a component without ending it, as a starved machine does: it keeps its
// connections and answers nothing.
type Pause struct {
	// Component is a process's name, "scheduler" for the backend's scheduler, or "webhooks"
	// for what is behind the admission webhooks.
	Component string `json:"component"`
	// Resumed lets it go on.
	Resumed bool `json:"resumed,omitempty"`
}

func (p *Pause) validate() error {
	if p.Component == "" {
		return fmt.Errorf("component: must be set")
	}
	return nil
}

func (p *Pause) String() string {
	if p.Resumed {
		return p.Component + " goes on"
	}
	return are(p.Component) + " paused"
}
