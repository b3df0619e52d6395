package scenario

import "fmt"

// Scale changes the number of a role's pods in a job that is there. The gang's size changes
// with it, and so does its minimum where that is all of its pods.
type Scale struct {
	// Gang is the gang's name.
	Gang string `json:"gang"`
	// Role is the role whose pods become more or fewer.
	Role string `json:"role"`
	// Count is the number of its pods from now on.
	Count int `json:"count"`
}

func (s *Scale) validate() error {
	if s.Gang == "" || s.Role == "" {
		return fmt.Errorf("gang: %q and role: %q must be set", s.Gang, s.Role)
	}
	if s.Count < 1 {
		return fmt.Errorf("count: %d must be at least 1", s.Count)
	}
	return nil
}

func (s *Scale) String() string {
	return fmt.Sprintf("%s is scaled to %d %s", s.Gang, s.Count, s.Role)
}

// Scaled is the gang with another number of one role's pods. The error says why it can't
// be.
func (s *Submit) Scaled(role string, count int) (*Submit, error) {
	now := *s
	now.Roles = append([]Role(nil), s.Roles...)
	found := false
	for i := range now.Roles {
		if now.Roles[i].Name == role {
			now.Roles[i].Count, found = count, true
		}
	}
	switch {
	case !found:
		return nil, fmt.Errorf("role: %q is no role of %s", role, s.Gang)
	case s.ManifestFile != "":
		return nil, fmt.Errorf("gang: %s is a manifest, whose numbers are its author's", s.Gang)
	case s.Min > now.Size():
		return nil, fmt.Errorf("count: %d leaves %d pods of %s, and its minimum is %d", count, now.Size(), s.Gang, s.Min)
	}
	return &now, nil
}
