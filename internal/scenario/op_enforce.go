package scenario

import (
	"fmt"
	"slices"
	"strings"
)

// Enforce makes the bundle's namespaces enforce a Pod Security level, and asks the API
// server whether it would let the pods of the bundle's Deployments in.
type Enforce struct {
	// Level is restricted or baseline.
	Level string `json:"level"`
	// Bare takes the security contexts from the pods: restricted must refuse those.
	Bare bool `json:"bare,omitempty"`
}

var podSecurityLevels = []string{"baseline", "restricted"}

func (e *Enforce) validate() error {
	if !slices.Contains(podSecurityLevels, e.Level) {
		return fmt.Errorf("level: %q must be %s", e.Level, strings.Join(podSecurityLevels, " or "))
	}
	return nil
}

func (e *Enforce) String() string {
	text := "the backend's namespaces enforce " + e.Level
	if e.Bare {
		text += " on pods without security contexts"
	}
	return text
}
