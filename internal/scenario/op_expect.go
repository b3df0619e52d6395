package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/gangctl/gangctl/internal/timeline"
)

// Expect is what must be seen: within a deadline, then for a time.
type Expect struct {
	// Gang is a gang's name, or a glob that stands for several. It goes with bound, whole
	// and evicted.
	Gang string `json:"gang,omitempty"`
	// Bound is what each of them must have bound.
	Bound *Bound `json:"bound,omitempty"`
	// Whole is how many of them must be bound whole while the others hold nothing.
	Whole *int `json:"whole,omitempty"`
	// Evicted is how many of their pods may have been evicted since they were submitted,
	// all together: taken from their nodes, and not by a step.
	Evicted *int `json:"evicted,omitempty"`
	// Finished is that all of their pods have succeeded.
	Finished bool `json:"finished,omitempty"`
	// Told is what somebody must have said of each of them since it was submitted: a part of
	// a condition's message of its pods or group, of an event's, or of a refusal. Case
	// does not matter.
	Told string `json:"told,omitempty"`
	// Denied is how many requests of ServiceAccounts the API server may have refused for
	// lack of a right, or since it serves no such resource, since the run began.
	Denied *int `json:"denied,omitempty"`
	// Refusals is how many of the case's own requests may have been refused, where a step
	// goes on all the same.
	Refusals *int `json:"refusals,omitempty"`
	// Synced is what must have come of the last sync, or uninstall: applied, when nothing
	// failed, or unchanged, when besides everything was as the bundle has it.
	Synced string `json:"synced,omitempty"`
	// Group is what the cluster must have as each one's group object: none, or one that
	// all of its pods name, with the minimum min, and owned by the gang's job.
	Group *ExpectGroup `json:"group,omitempty"`
	// Refused says that each one's job must be refused with a reason: by the API server, or
	// by its operator in a condition.
	Refused bool `json:"refused,omitempty"`
	// OrRefused takes that in place of what must be bound.
	OrRefused bool `json:"orRefused,omitempty"`
	// Within is the deadline; without it, it must be so at once.
	Within Duration `json:"within,omitempty"`
	// For is how long it must stay so, from then on.
	For Duration `json:"for,omitempty"`
	// PastTimeout adds to For the time after which the backend itself gives up on a gang
	// that waits, where it declares one.
	PastTimeout bool `json:"pastTimeout,omitempty"`
}

// Bound is none, all, all-or-none, a number of pods, or a number for each role.
type Bound struct {
	// Word is none, all or all-or-none; empty where Count or Roles is set.
	Word  string
	Count int
	Roles map[string]int
}

// UnmarshalJSON reads any of them.
func (b *Bound) UnmarshalJSON(text []byte) error {
	switch text[0] {
	case '"':
		if err := json.Unmarshal(text, &b.Word); err != nil {
			return err
		}
		if !slices.Contains([]string{"none", "all", "all-or-none"}, b.Word) {
			return fmt.Errorf("bound: %q must be none, all, all-or-none, a number, or a number for each role", b.Word)
		}
		return nil
	case '{':
		return json.Unmarshal(text, &b.Roles)
	}
	if err := json.Unmarshal(text, &b.Count); err != nil {
		return fmt.Errorf("bound: %s must be none, all, all-or-none, a number, or a number for each role", text)
	}
	return nil
}

// MarshalJSON writes what was read.
func (b Bound) MarshalJSON() ([]byte, error) {
	switch {
	case b.Word != "":
		return json.Marshal(b.Word)
	case b.Roles != nil:
		return json.Marshal(b.Roles)
	}
	return json.Marshal(b.Count)
}

// String is the expectation in words.
func (b Bound) String() string {
	switch {
	case b.Word != "":
		return b.Word
	case b.Roles != nil:
		var parts []string
		for _, r := range slices.Sorted(maps.Keys(b.Roles)) {
			parts = append(parts, fmt.Sprintf("%d %s", b.Roles[r], r))
		}
		return strings.Join(parts, " + ")
	}
	return fmt.Sprint(b.Count)
}

// Met says whether the gang has bound just that.
func (b Bound) Met(g *timeline.GangState) bool {
	switch {
	case b.Word == "none":
		return g.Bound() == 0
	case b.Word == "all":
		return g.Bound() == g.Size
	case b.Word == "all-or-none":
		return g.Bound() == 0 || g.Bound() == g.Size
	case b.Roles != nil:
		bound := 0
		for role, n := range g.BoundByRole() {
			if b.Roles[role] != n {
				return false
			}
			bound += n
		}
		return bound == b.total()
	}
	return g.Bound() == b.Count
}

func (b Bound) total() int {
	sum := 0
	for _, n := range b.Roles {
		sum += n
	}
	return sum
}

// validate checks the numbers against the gang's roles.
func (b Bound) validate(roles map[string]int) error {
	size := 0
	for _, n := range roles {
		size += n
	}
	if b.Count < 0 || b.Count > size {
		return fmt.Errorf("bound: %d must be between 0 and the gang's %d pods", b.Count, size)
	}
	for _, role := range slices.Sorted(maps.Keys(b.Roles)) {
		if n, ok := roles[role]; !ok || b.Roles[role] < 0 || b.Roles[role] > n {
			return fmt.Errorf("bound.%s: %d must be between 0 and the gang's %d pods of the role", role, b.Roles[role], n)
		}
	}
	return nil
}

func (e *Expect) validate() error {
	if e.installation() {
		return e.validateInstallation()
	}
	if _, err := path.Match(e.Gang, ""); err != nil || e.Gang == "" {
		return fmt.Errorf("gang: %q must be a gang's name or a glob", e.Gang)
	}
	if one := exactlyOne(e.Bound != nil, e.Whole != nil, e.Evicted != nil, e.Finished, e.Told != "", e.Group != nil, e.Refused); !one {
		return fmt.Errorf("bound: exactly one of bound, whole, evicted, finished, told, group and refused must be set")
	}
	if e.OrRefused && e.Bound == nil {
		return fmt.Errorf("orRefused: needs bound")
	}
	if e.Group != nil {
		if err := e.Group.validate(); err != nil {
			return err
		}
	}
	if e.Evicted != nil && *e.Evicted < 0 {
		return fmt.Errorf("evicted: %d must not be negative", *e.Evicted)
	}
	if e.Whole != nil && *e.Whole < 0 {
		return fmt.Errorf("whole: %d must not be negative", *e.Whole)
	}
	if e.Within < 0 || e.For < 0 || e.Within+e.For == 0 {
		return fmt.Errorf("within: %s and for: %s must not be negative, and one must be set", e.Within, e.For)
	}
	if e.PastTimeout && e.For == 0 {
		return fmt.Errorf("pastTimeout: adds to for, which must be set")
	}
	return nil
}

func (e *Expect) String() string {
	text := ""
	switch {
	case e.installation():
		text = e.installationString()
	case e.Bound != nil:
		text = fmt.Sprintf("%s: %s bound", e.Gang, e.Bound)
		if e.OrRefused {
			text += " or refused"
		}
	case e.Finished:
		text = e.Gang + ": all finished"
	case e.Told != "":
		text = fmt.Sprintf("%s: somebody says %q", e.Gang, e.Told)
	case e.Group != nil:
		text = fmt.Sprintf("%s: %s", e.Gang, e.Group)
	case e.Refused:
		text = fmt.Sprintf("%s: refused", e.Gang)
	case e.Evicted != nil:
		text = fmt.Sprintf("%s: at most %d evicted", e.Gang, *e.Evicted)
	default:
		text = fmt.Sprintf("%s: %d whole, the others hold nothing", e.Gang, *e.Whole)
	}
	if e.Within > 0 {
		text += fmt.Sprintf(" within %s", e.Within)
	}
	if e.For > 0 {
		text += fmt.Sprintf(" for %s", e.For)
	}
	if e.PastTimeout {
		text += " past the backend's timeout"
	}
	return text
}

// OfPods says that it is about how many pods are bound, and nothing else.
func (e *Expect) OfPods() bool { return e.Bound != nil || e.Whole != nil || e.Evicted != nil }

// AtEnd says that what breaks it may be found only when its time is over: requests that were
// refused are read from a log.
func (e *Expect) AtEnd() bool { return e.Denied != nil }

// Hold is how long it must stay so, on a backend that gives up on a gang after the timeout.
func (e *Expect) Hold(patience float64, timeout time.Duration) time.Duration {
	hold := e.For.Scale(patience)
	if e.PastTimeout {
		hold += timeout
	}
	return hold
}

// Met evaluates the expectation on a state. Where it is not met, why says what
// there is instead.
func (e *Expect) Met(s *timeline.State) (ok bool, why string) {
	return e.MetBy(s, Select(s, e.Gang))
}

// MetBy is Met, for the gangs that Select returned.
func (e *Expect) MetBy(s *timeline.State, gangs []*timeline.GangState) (ok bool, why string) {
	if e.installation() {
		return e.installationMet(s)
	}
	if len(gangs) == 0 {
		return false, fmt.Sprintf("no gang is named %s", e.Gang)
	}
	whole, evicted := 0, 0
	for _, g := range gangs {
		evicted += g.Evicted
		switch {
		case e.OrRefused && refused(s, g) != "":
		case e.Refused && refused(s, g) == "":
			return false, fmt.Sprintf("nobody has refused %s", g.Name)
		case e.Group != nil && e.Group.lacks(s, g) != "":
			return false, e.Group.lacks(s, g)
		case e.Bound != nil && !e.Bound.Met(g):
			return false, fmt.Sprintf("%d of %d pods of %s are bound", g.Bound(), g.Size, g.Name)
		case e.Finished && !g.Finished():
			return false, fmt.Sprintf("%s has not finished, %d of %d pods are bound", g.Name, g.Bound(), g.Size)
		case e.Told != "" && !g.Told(e.Told):
			return false, fmt.Sprintf("nobody said %q of %s", e.Told, g.Name)
		case e.Whole != nil && g.Whole():
			whole++
		case e.Whole != nil && g.Bound() > 0:
			return false, fmt.Sprintf("%s is partly bound, %d of %d pods", g.Name, g.Bound(), g.Size)
		}
	}
	if e.Evicted != nil && evicted > *e.Evicted {
		return false, fmt.Sprintf("%s of %s evicted", Count(evicted, "pod"), e.Gang)
	}
	if e.Whole != nil && whole != *e.Whole {
		return false, fmt.Sprintf("%d of %d gangs are whole", whole, len(gangs))
	}
	return true, ""
}

// Select returns the gangs that a name or glob stands for, by name.
func Select(s *timeline.State, glob string) []*timeline.GangState {
	var found []*timeline.GangState
	for _, name := range slices.Sorted(maps.Keys(s.Gangs)) {
		if ok, err := path.Match(glob, name); err == nil && ok {
			found = append(found, s.Gangs[name])
		}
	}
	return found
}
