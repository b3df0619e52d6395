// Package gang writes down our words (gang, role, minimum) as one backend's objects.
package gang

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/scenario"
)

// The labels of every object that a case creates.
const (
	// GangLabel is the gang that a pod belongs to, in our words.
	GangLabel = "gangctl.dev/gang"
	// RoleLabel is the pod's role in it.
	RoleLabel = "gangctl.dev/role"
	// FinishLabel asks the lab's kubelets to end a pod in the phase it names.
	FinishLabel = "gangctl.dev/finish"
	// Gate is the scheduling gate of pods that are to wait.
	Gate = "gangctl.dev/wait"
	// ManagedBy marks what is ours.
	ManagedBy = "app.kubernetes.io/managed-by"
)

// Writer makes the objects of gangs in one namespace.
type Writer struct {
	Namespace string
	// Scheduler goes into every pod's spec.schedulerName.
	Scheduler string
	// Backend is the scheduler under test. In a safety control, Scheduler is another.
	Backend string
	// Gang is the backend's way to write a gang down; nil makes plain pods.
	Gang *catalog.Gang
	// Job is the kind of job that an operator makes gangs of; nil makes pods.
	Job *catalog.Job
	// Fields make a gang of a job, where its operator leaves that to jobs.
	Fields map[string]any
}

// Grouped says that gangs get a group object.
func (w Writer) Grouped() bool { return w.Gang != nil && w.Gang.Group != nil }

// Kinds are those of the objects that a gang may have besides its pods.
func (w Writer) Kinds() []catalog.ObjectKind {
	var all []catalog.ObjectKind
	if w.Job != nil {
		all = append(all, w.Job.ObjectKind)
		if w.Job.Runtime != nil {
			all = append(all, w.Job.Runtime.ObjectKind)
		}
	}
	if w.Grouped() {
		all = append(all, w.Gang.Group.ObjectKind)
	}
	if w.Gang != nil && w.Gang.Join.Owner != nil {
		all = append(all, *w.Gang.Join.Owner)
	}
	return all
}

// Group is the group object of one gang, or nil.
func (w Writer) Group(s *scenario.Submit, name string) *unstructured.Unstructured {
	if !w.Grouped() || s.Ungrouped || s.MadeBy == scenario.ByBackend {
		return nil
	}
	g := w.Gang.Group
	if own := s.Manifest.Group(); own != nil {
		w.adopt(own, name, name)
		return own
	}
	u := w.object(g.ObjectKind, name)
	put(u.Object, g.MinField, int64(s.Minimum()))
	for path, value := range g.Fields {
		put(u.Object, path, value)
	}
	if class := commonClass(s); class != "" && g.PriorityField != "" {
		put(u.Object, g.PriorityField, class)
	}
	if s.Queue != "" {
		put(u.Object, g.QueueField, w.queueName(s.Queue))
	}
	if t := w.Gang.Topology; s.Together != "" && t != nil {
		for path, value := range t.Fields {
			put(u.Object, path, filled(value, s.Together, ""))
		}
	}
	if s.MinResources && g.ResourcesField != "" {
		put(u.Object, g.ResourcesField, together(s))
	}
	return u
}

// Owner is the object that is to be the controller of the gang's group and pods, or
// nil where they need none. Its UID is known when it is there: see Own.
func (w Writer) Owner(s *scenario.Submit, name string) *unstructured.Unstructured {
	if w.Gang == nil || w.Gang.Join.Owner == nil || s.Ungrouped {
		return nil
	}
	return w.object(*w.Gang.Join.Owner, name)
}

// adopt makes an object that a user wrote one of a gang's.
func (w Writer) adopt(u *unstructured.Unstructured, name, gang string) {
	u.SetNamespace(w.Namespace)
	u.SetName(name)
	labels := u.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[GangLabel], labels[ManagedBy] = gang, "gangctl"
	u.SetLabels(labels)
}

// object is an object of a gang's own name.
func (w Writer) object(kind catalog.ObjectKind, name string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetAPIVersion(kind.APIVersion)
	u.SetKind(kind.Kind)
	u.SetNamespace(w.Namespace)
	u.SetName(name)
	u.SetLabels(map[string]string{GangLabel: name, ManagedBy: "gangctl"})
	return u
}

// Own makes an object the controller of others.
func Own(owner *unstructured.Unstructured, objects ...*unstructured.Unstructured) {
	ref := metav1.NewControllerRef(owner, owner.GroupVersionKind())
	// Some clusters let only those set this who may write the owner's finalizers.
	ref.BlockOwnerDeletion = nil
	for _, o := range objects {
		o.SetOwnerReferences([]metav1.OwnerReference{*ref})
	}
}

// Priorities are the PriorityClasses that the pods of the step name, each once.
func (w Writer) Priorities(s *scenario.Submit) []*unstructured.Unstructured {
	var classes []*unstructured.Unstructured
	for i, r := range s.Roles {
		if r.Priority == 0 || slices.ContainsFunc(s.Roles[:i], func(o scenario.Role) bool { return o.Priority == r.Priority }) {
			continue
		}
		u := &unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "scheduling.k8s.io/v1",
			"kind":       "PriorityClass",
			"value":      int64(r.Priority),
		}}
		u.SetName(priorityClass(r.Priority))
		u.SetLabels(map[string]string{ManagedBy: "gangctl"})
		classes = append(classes, u)
	}
	return classes
}

// commonClass is the PriorityClass of all of the gang's pods; "" where they differ.
func commonClass(s *scenario.Submit) string {
	first := s.Roles[0].Priority
	differ := slices.ContainsFunc(s.Roles, func(r scenario.Role) bool { return r.Priority != first })
	if differ || first == 0 {
		return ""
	}
	return priorityClass(first)
}

func priorityClass(priority int) string { return fmt.Sprintf("gangctl-%d", priority) }

// Key reads the group that a pod names, wherever the backend looks for it.
func Key(g *catalog.Gang, pod *unstructured.Unstructured) string {
	if g == nil {
		return ""
	}
	switch j := g.Join; {
	case j.Owner != nil:
		if o := metav1.GetControllerOf(pod); o != nil && o.Kind == j.Owner.Kind {
			return o.Name
		}
		return ""
	case j.Label != "":
		return pod.GetLabels()[j.Label]
	case j.Annotation != "":
		return pod.GetAnnotations()[j.Annotation]
	default:
		s, _ := Field(pod.Object, j.Field).(string)
		return s
	}
}
