package scenario

import "fmt"

// Complete creates what a submit step left out, or a delete step took away: the group
// objects of gangs, their late pods, and the end of scheduling gates.
type Complete struct {
	// Gang is a gang's name, or a glob that stands for several.
	Gang string `json:"gang"`
}

func (c *Complete) validate() error {
	if c.Gang == "" {
		return fmt.Errorf("gang: must be set")
	}
	return nil
}

func (c *Complete) String() string { return c.Gang + " gets what it lacks" }
