package scenario

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Intercept refuses or delays requests to the API server, by a webhook of the run's own, as
// a policy or a busy server does. It goes on until another step ends it, or the run.
type Intercept struct {
	// Verb is create, update or delete.
	Verb string `json:"verb,omitempty"`
	// Resource is the plural, with the subresource where it is one: pods/binding.
	Resource string `json:"resource,omitempty"`
	// Name is an object's name, or a glob that stands for several; every one by default.
	Name string `json:"name,omitempty"`
	// Times is how many requests; 0 is all.
	Times int `json:"times,omitempty"`
	// Deny is what a refused request is told; "" refuses none.
	Deny string `json:"deny,omitempty"`
	// Delay is how long a request is held up.
	Delay Duration `json:"delay,omitempty"`
	// End ends what earlier steps began.
	End bool `json:"end,omitempty"`
}

// verbs are what admission sees.
var verbs = []string{"create", "update", "delete"}

func (i *Intercept) validate() error {
	if i.End {
		if *i != (Intercept{End: true}) {
			return errors.New("end: ends all, and goes with nothing else")
		}
		return nil
	}
	if !slices.Contains(verbs, i.Verb) {
		return fmt.Errorf("verb: %q must be one of %s", i.Verb, strings.Join(verbs, ", "))
	}
	if i.Resource == "" || strings.Count(i.Resource, "/") > 1 {
		return fmt.Errorf("resource: %q must be a plural, such as pods or pods/binding", i.Resource)
	}
	if _, err := path.Match(i.Name, ""); err != nil {
		return fmt.Errorf("name: %q must be an object's name or a glob", i.Name)
	}
	if i.Times < 0 || i.Delay < 0 {
		return fmt.Errorf("times: %d and delay: %s must not be negative", i.Times, i.Delay)
	}
	if (i.Deny == "") == (i.Delay == 0) {
		return errors.New("deny: exactly one of deny and delay must be set")
	}
	return nil
}

func (i *Intercept) String() string {
	if i.End {
		return "requests are let through again"
	}
	what := i.Verb + " " + i.Resource
	if i.Name != "" {
		what += " of " + i.Name
	}
	if i.Deny != "" {
		what += " is refused"
	} else {
		what += fmt.Sprintf(" is held up for %s", i.Delay)
	}
	if i.Times > 0 {
		what += ", " + Count(i.Times, "time")
	}
	return what
}
