// Package gang writes down our words (gang, role, minimum) as one backend's objects.
package gang

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// The labels of every object that a case creates.
const (
	// GangLabel is the gang that a pod belongs to, in our words.
	GangLabel = "gangctl.dev/gang"
	// RoleLabel is the pod's role in it.
	RoleLabel = "gangctl.dev/role"
	// FinishLabel asks the lab's kubelets to end a pod in the phase it names.
	FinishLabel = "gangctl.dev/finish"
	// ManagedBy marks what is ours.
	ManagedBy = "app.kubernetes.io/managed-by"
)

// Writer makes the objects of gangs in one namespace.
type Writer struct {
	Namespace string
	// Scheduler goes into every pod's spec.schedulerName.
	Scheduler string
	// Gang is the backend's way to write a gang down; nil makes plain pods.
	Gang *catalog.Gang
}

// Grouped says that gangs get a group object.
func (w Writer) Grouped() bool { return w.Gang != nil && w.Gang.Group != nil }

// Group is the group object of one gang, or nil.
func (w Writer) Group(s *scenario.Submit, name string) *unstructured.Unstructured {
	if !w.Grouped() || s.Ungrouped {
		return nil
	}
	g := w.Gang.Group
	u := &unstructured.Unstructured{Object: map[string]any{}}
	u.SetAPIVersion(g.APIVersion)
	u.SetKind(g.Kind)
	u.SetNamespace(w.Namespace)
	u.SetName(name)
	u.SetLabels(map[string]string{GangLabel: name, ManagedBy: "gangctl"})
	put(u.Object, g.MinField, int64(s.Minimum()))
	for path, value := range g.Fields {
		put(u.Object, path, value)
	}
	return u
}

// Pods are the pods of one gang, in the order of its roles.
func (w Writer) Pods(s *scenario.Submit, name string) []*unstructured.Unstructured {
	var pods []*unstructured.Unstructured
	for _, r := range s.Roles {
		for i := range r.Count {
			pods = append(pods, w.pod(s, name, r, fmt.Sprintf("%s-%s-%d", name, r.Name, i)))
		}
	}
	return pods
}

func (w Writer) pod(s *scenario.Submit, gang string, r scenario.Role, name string) *unstructured.Unstructured {
	amounts := map[string]any{}
	if r.CPU != "" {
		amounts["cpu"] = r.CPU
	}
	if r.Memory != "" {
		amounts["memory"] = r.Memory
	}
	limits := map[string]any{}
	if r.GPUs > 0 {
		amounts[timeline.GPU] = fmt.Sprint(r.GPUs)
		limits[timeline.GPU] = fmt.Sprint(r.GPUs)
	}
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1",
		"kind":       "Pod",
		"spec": map[string]any{
			"schedulerName": w.Scheduler,
			"restartPolicy": "Never",
			"containers": []any{map[string]any{
				"name":      "main",
				"image":     "registry.k8s.io/pause:3.10",
				"resources": map[string]any{"requests": amounts, "limits": limits},
			}},
			// Seconds matter when a gang is taken away.
			"terminationGracePeriodSeconds": int64(0),
		},
	}}
	u.SetNamespace(w.Namespace)
	u.SetName(name)
	labels := map[string]string{GangLabel: gang, RoleLabel: r.Name, ManagedBy: "gangctl"}
	if w.Gang != nil && !s.Ungrouped {
		switch j := w.Gang.Join; {
		case j.Label != "":
			labels[j.Label] = gang
		case j.Annotation != "":
			u.SetAnnotations(map[string]string{j.Annotation: gang})
		default:
			put(u.Object, j.Field, gang)
			for path, value := range j.Fields {
				put(u.Object, path, value)
			}
		}
	}
	u.SetLabels(labels)
	return u
}

// Key reads the group that a pod names, wherever the backend looks for it.
func Key(g *catalog.Gang, pod *unstructured.Unstructured) string {
	if g == nil {
		return ""
	}
	switch j := g.Join; {
	case j.Label != "":
		return pod.GetLabels()[j.Label]
	case j.Annotation != "":
		return pod.GetAnnotations()[j.Annotation]
	default:
		s, _ := Field(pod.Object, j.Field).(string)
		return s
	}
}
