package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/gangctl/gangctl/internal/timeline"
)

// ExpectGroup is what the cluster must have as a gang's group object: none, or one of a
// minimum that all of the gang's pods name.
type ExpectGroup struct {
	// None says that no group bears the gang's name.
	None bool `json:"-"`
	// Min is the group's minimum.
	Min int `json:"min,omitempty"`
	// Owned says that the gang's job is the group's controller: it goes with the job.
	Owned bool `json:"owned,omitempty"`
	// Kept says that it is the one that was there from the first: none was deleted since the
	// gang was submitted, but by a step.
	Kept bool `json:"kept,omitempty"`
}

// UnmarshalJSON reads either.
func (x *ExpectGroup) UnmarshalJSON(text []byte) error {
	if bytes.Equal(text, []byte(`"none"`)) {
		*x = ExpectGroup{None: true}
		return nil
	}
	type plain ExpectGroup
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode((*plain)(x)); err != nil {
		return fmt.Errorf("group: %s must be none, or have min and perhaps owned and kept: %w", text, err)
	}
	return nil
}

// MarshalJSON writes what was read.
func (x ExpectGroup) MarshalJSON() ([]byte, error) {
	if x.None {
		return []byte(`"none"`), nil
	}
	type plain ExpectGroup
	return json.Marshal(plain(x))
}

func (x *ExpectGroup) validate() error {
	if !x.None && x.Min < 1 {
		return fmt.Errorf("group.min: %d must be at least 1", x.Min)
	}
	return nil
}

// String is the expectation in words.
func (x ExpectGroup) String() string {
	text := fmt.Sprintf("a group, min %d", x.Min)
	switch {
	case x.None:
		return "no group"
	case x.Owned:
		text = fmt.Sprintf("a group of its job's own, min %d", x.Min)
	}
	if x.Kept {
		text += ", the first"
	}
	return text
}

// lacks says what is not as it must be; "" is nothing.
func (x *ExpectGroup) lacks(s *timeline.State, g *timeline.GangState) string {
	group := s.Groups[g.Name]
	switch {
	case x.None && group != nil:
		return fmt.Sprintf("there is a group %s, with the minimum %d", g.Name, group.Min)
	case x.None:
		return ""
	case group == nil:
		return fmt.Sprintf("there is no group %s", g.Name)
	case group.Min != int64(x.Min):
		return fmt.Sprintf("the group %s has the minimum %d, not %d", g.Name, group.Min, x.Min)
	case x.Kept && g.GroupLost:
		return fmt.Sprintf("the group %s was deleted and made anew", g.Name)
	case x.Owned && (s.Jobs[g.Name] == nil || group.Owner == ""):
		return fmt.Sprintf("the group %s has no controller", g.Name)
	}
	if _, owner, _ := strings.Cut(group.Owner, "/"); x.Owned && owner != g.Name {
		return fmt.Sprintf("the group %s is %s's", g.Name, group.Owner)
	}
	for _, p := range g.Sorted() {
		if p.Key != g.Name {
			return fmt.Sprintf("%s names the group %q, not %q", p.Name, p.Key, g.Name)
		}
	}
	return ""
}

// refused says who refused the gang's job, and why: the API server when it was submitted,
// or its operator by the condition Failed. "" is nobody.
func refused(s *timeline.State, g *timeline.GangState) string {
	if g.Refused != "" {
		return g.Refused
	}
	if j := s.Jobs[g.Name]; j != nil {
		return j.Failed
	}
	return ""
}
