package timeline

import "fmt"

// Denied is a request of a ServiceAccount that the API server refused with 403, from its
// audit log, or answered with 404, as it serves no such resource.
type Denied struct {
	User     string `json:"user"`
	Verb     string `json:"verb"`
	Resource string `json:"resource"`
	// Count is how often, within the run.
	Count int `json:"count"`
	// Missing says that it was a 404 to a list or a watch.
	Missing bool `json:"missing,omitempty"`
}

// String is what was refused, without the count.
func (d Denied) String() string {
	if d.Missing {
		return fmt.Sprintf("%s asks to %s %s, which is not served", d.User, d.Verb, d.Resource)
	}
	return fmt.Sprintf("%s may not %s %s", d.User, d.Verb, d.Resource)
}

// Refused is a request of the scenario's own that the API server refused, where the
// scenario goes on all the same.
type Refused struct {
	Verb     string `json:"verb"`
	Resource string `json:"resource"`
	Name     string `json:"name"`
	// Err is the API server's answer.
	Err string `json:"err"`
}

// Sync is what came of applying a bundle once more, as a GitOps controller does.
type Sync struct {
	// Bundle names what was applied, such as volcano@v1.15.0.
	Bundle string `json:"bundle"`
	// Objects counts what the bundle holds.
	Objects int `json:"objects"`
	// Changed are the objects, as Kind/name, that were not as the bundle has them; those
	// that were not there are among them.
	Changed []string `json:"changed,omitempty"`
	// Pruned are the objects that were deleted, since the bundle holds them no more.
	Pruned []string `json:"pruned,omitempty"`
	// Failed says for each object that could not be applied why, and what came up not.
	Failed []string `json:"failed,omitempty"`
}
