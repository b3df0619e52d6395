package scenario

import "fmt"

// Finish lets the pods of gangs end by themselves, as a job's pods do.
type Finish struct {
	// Gang is a gang's name, or a glob that stands for several.
	Gang string `json:"gang"`
	// Whole finishes only those that are bound whole.
	Whole bool `json:"whole,omitempty"`
	// As is Succeeded, the default, or Failed.
	As string `json:"as,omitempty"`
}

func (f *Finish) validate() error {
	if f.Gang == "" {
		return fmt.Errorf("gang: must be set")
	}
	if f.As != "" && f.As != "Succeeded" && f.As != "Failed" {
		return fmt.Errorf("as: %q must be Succeeded or Failed", f.As)
	}
	return nil
}

// Phase is the phase that the pods end in.
func (f *Finish) Phase() string {
	if f.As == "" {
		return "Succeeded"
	}
	return f.As
}

func (f *Finish) String() string {
	if f.Whole {
		return fmt.Sprintf("the whole gangs of %s end as %s", f.Gang, f.Phase())
	}
	return fmt.Sprintf("%s ends as %s", f.Gang, f.Phase())
}
