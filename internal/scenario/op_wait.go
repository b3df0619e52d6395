package scenario

import "fmt"

// Wait lets time pass where nothing can be watched for.
type Wait struct {
	// For is how long.
	For Duration `json:"for"`
}

func (w *Wait) validate() error {
	if w.For <= 0 {
		return fmt.Errorf("for: %s must be more than nothing", w.For)
	}
	return nil
}

func (w *Wait) String() string { return fmt.Sprintf("%s pass", w.For) }
