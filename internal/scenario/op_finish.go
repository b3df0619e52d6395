package scenario

import "fmt"

// Finish lets the pods of gangs end by themselves, as a job's pods do.
type Finish struct {
	// Gang is a gang's name, or a glob that stands for several.
	Gang string `json:"gang"`
	// Whole finishes only those that are bound whole.
	Whole bool `json:"whole,omitempty"`
	// Pods is how many bound pods of each end, the last by name first; 0 is all.
	Pods int `json:"pods,omitempty"`
	// As is Succeeded, the default, or Failed.
	As string `json:"as,omitempty"`
	// Replaced deletes each pod that has ended and creates it anew, as an operator does.
	Replaced bool `json:"replaced,omitempty"`
}

func (f *Finish) validate() error {
	if f.Gang == "" {
		return fmt.Errorf("gang: must be set")
	}
	if f.Pods < 0 {
		return fmt.Errorf("pods: %d must not be negative", f.Pods)
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
	what, verb := f.Gang, "ends"
	if f.Whole {
		what, verb = "the whole gangs of "+what, "end"
	}
	if f.Pods > 0 {
		what = Count(f.Pods, "pod") + " of " + what
	}
	if f.Pods > 1 {
		verb = "end"
	}
	text := fmt.Sprintf("%s %s as %s", what, verb, f.Phase())
	if f.Replaced {
		text += ", and anew"
	}
	return text
}
