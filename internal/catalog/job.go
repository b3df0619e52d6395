package catalog

import (
	"errors"
	"slices"
)

// Job is how a gang is written down as a job of one kind.
type Job struct {
	ObjectKind `json:",inline"`
	// Container is the name that the operator insists on.
	Container string `json:"container"`
	// Replicas is the dotted path of the map from replica type to its count and its
	// pod template.
	Replicas string `json:"replicas,omitempty"`
	// Types maps the roles of cases to replica types.
	Types map[string]string `json:"types,omitempty"`
	// Runtime holds the roles in place of Replicas, where a job only names it.
	Runtime *Runtime `json:"runtime,omitempty"`
	// Lead is a replica type of exactly one pod that must be there. Where no role is
	// mapped to it, it takes one pod of the first role.
	Lead string `json:"lead,omitempty"`
	// MinField is the dotted path of the gang's minimum, where it is not all pods;
	// empty where it can only be that.
	MinField string `json:"minField,omitempty"`
	// Fields are further fields that the job needs, by path.
	Fields map[string]any `json:"fields,omitempty"`

	// Lifecycle is the operator's.
	Lifecycle Lifecycle `json:"-"`
}

// Runtime is an object that a job names, and that must be there before it. The roles
// of cases are the entries of a list in it, by their own names.
type Runtime struct {
	ObjectKind `json:",inline"`
	// NameField is the dotted path of its name in the job.
	NameField string `json:"nameField"`
	// Roles is the dotted path of the list, Counts of the numbers of pods in an entry,
	// and Template of the pod template there.
	Roles    string   `json:"roles"`
	Counts   []string `json:"counts"`
	Template string   `json:"template"`
	// ClusterKind is the kind of one that is in no namespace; a manifest may have it.
	ClusterKind string `json:"clusterKind,omitempty"`
	// Sized is the entry that the job gives another size; nil where jobs can't.
	Sized *SizedEntry `json:"sized,omitempty"`
	// Absent are as the operator's, in the runtime.
	Absent []string `json:"absent,omitempty"`
	// Unread are the dotted paths of what decides on the pods in ways that a manifest is not
	// read for; EntryUnread are those in an entry.
	Unread      []string `json:"unread,omitempty"`
	EntryUnread []string `json:"entryUnread,omitempty"`
}

// SizedEntry is an entry of a runtime's list that takes the number of its pods, and what
// they ask for, from the runtime and from the job that names it.
type SizedEntry struct {
	// Labels is the dotted path of the entry's labels; Label and Value mark it.
	Labels string `json:"labels"`
	Label  string `json:"label"`
	Value  string `json:"value"`
	// Policy is the dotted path of what says more of it in the runtime, and Count of its
	// number of pods there.
	Policy string `json:"policy"`
	Count  string `json:"count"`
	// JobCount and JobResources are the dotted paths of the number in the job, which goes
	// before the runtime's, and of the requests and limits of its container.
	JobCount     string `json:"jobCount"`
	JobResources string `json:"jobResources"`
}

func checkJob(j Job) error {
	if j.APIVersion == "" || j.Kind == "" || j.Resource == "" || j.Container == "" {
		return errors.New("apiVersion, kind, resource and container must be set")
	}
	r := j.Runtime
	switch {
	case r == nil:
		if j.Replicas == "" || len(j.Types) == 0 {
			return errors.New("replicas and types must be set, or runtime")
		}
	case r.APIVersion == "" || r.Kind == "" || r.Resource == "" || r.NameField == "" || r.Roles == "" || len(r.Counts) == 0 || r.Template == "":
		return errors.New("runtime: apiVersion, kind, resource, nameField, roles, counts and template must be set")
	case r.Sized != nil && slices.Contains([]string{r.Sized.Labels, r.Sized.Label, r.Sized.Value, r.Sized.Policy, r.Sized.Count, r.Sized.JobCount, r.Sized.JobResources}, ""):
		return errors.New("runtime.sized: labels, label, value, policy, count, jobCount and jobResources must be set")
	case j.Replicas != "" || len(j.Types) > 0 || j.Lead != "" || j.MinField != "":
		return errors.New("replicas, types, lead and minField are for jobs without a runtime")
	}
	return nil
}
