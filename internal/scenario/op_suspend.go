package scenario

import "fmt"

// Suspend takes a job's pods away for now, or lets it have them again: the job's own
// suspend field. What follows is its operator's affair.
type Suspend struct {
	// Gang is a gang's name, or a glob that stands for several.
	Gang string `json:"gang"`
	// Resumed lets the job have its pods again.
	Resumed bool `json:"resumed,omitempty"`
}

func (s *Suspend) validate() error {
	if s.Gang == "" {
		return fmt.Errorf("gang: must be set")
	}
	return nil
}

func (s *Suspend) String() string {
	if s.Resumed {
		return fmt.Sprintf("%s is resumed", s.Gang)
	}
	return fmt.Sprintf("%s is suspended", s.Gang)
}
