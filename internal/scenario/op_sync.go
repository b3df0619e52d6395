package scenario

import "fmt"

// Sync applies the backend's bundle once more, as a GitOps controller does: all objects in
// one go, server-side, each once. It prunes what an earlier bundle left, and starts anew
// the Deployments whose pods change. Configuration that is mounted changes in place.
type Sync struct {
	// Bundle is what is applied: the release's own by default; previous, the newest earlier
	// release that the same Kubernetes serves; or no-gangs, the release with gang
	// scheduling taken out of its configuration.
	Bundle string `json:"bundle,omitempty"`
}

// The bundles that can be synced besides the release's own.
const (
	PreviousBundle = "previous"
	NoGangsBundle  = "no-gangs"
)

func (s *Sync) validate() error {
	switch s.Bundle {
	case "", PreviousBundle, NoGangsBundle:
		return nil
	}
	return fmt.Errorf("bundle: %q must be %s or %s, or left out", s.Bundle, PreviousBundle, NoGangsBundle)
}

func (s *Sync) String() string {
	switch s.Bundle {
	case PreviousBundle:
		return "the release before is synced"
	case NoGangsBundle:
		return "the bundle without gang scheduling is synced"
	}
	return "the bundle is synced"
}
