package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/gangctl/gangctl/internal/timeline"
)

// Expect is what must be seen: within a deadline, then for a time.
type Expect struct {
	// Gang is a gang's name, or a glob that stands for several.
	Gang string `json:"gang"`
	// Bound is what each of them must have bound.
	Bound *Bound `json:"bound,omitempty"`
	// Whole is how many of them must be bound whole while the others hold nothing.
	Whole *int `json:"whole,omitempty"`
	// Evicted is how many of their pods may have been evicted since they were submitted,
	// all together: taken from their nodes, and not by a step.
	Evicted *int `json:"evicted,omitempty"`
	// Within is the deadline; without it, it must be so at once.
	Within Duration `json:"within,omitempty"`
	// For is how long it must stay so, from then on.
	For Duration `json:"for,omitempty"`
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
	if _, err := path.Match(e.Gang, ""); err != nil || e.Gang == "" {
		return fmt.Errorf("gang: %q must be a gang's name or a glob", e.Gang)
	}
	if one := exactlyOne(e.Bound != nil, e.Whole != nil, e.Evicted != nil); !one {
		return fmt.Errorf("bound: exactly one of bound, whole and evicted must be set")
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
	return nil
}

func (e *Expect) String() string {
	text := ""
	switch {
	case e.Bound != nil:
		text = fmt.Sprintf("%s: %s bound", e.Gang, e.Bound)
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
	return text
}

// Met evaluates the expectation on a state. Where it is not met, why says what
// there is instead.
func (e *Expect) Met(s *timeline.State) (ok bool, why string) {
	return e.MetBy(Select(s, e.Gang))
}

// MetBy is Met, for the gangs that Select returned.
func (e *Expect) MetBy(gangs []*timeline.GangState) (ok bool, why string) {
	if len(gangs) == 0 {
		return false, fmt.Sprintf("no gang is named %s", e.Gang)
	}
	whole, evicted := 0, 0
	for _, g := range gangs {
		evicted += g.Evicted
		switch {
		case e.Bound != nil && !e.Bound.Met(g):
			return false, fmt.Sprintf("%d of %d pods of %s are bound", g.Bound(), g.Size, g.Name)
		case e.Whole != nil && g.Whole():
			whole++
		case e.Whole != nil && g.Bound() > 0:
			return false, fmt.Sprintf("%s is partly bound, %d of %d pods", g.Name, g.Bound(), g.Size)
		}
	}
	if e.Evicted != nil && evicted > *e.Evicted {
		return false, fmt.Sprintf("%s of %s evicted", count(evicted, "pod"), e.Gang)
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
