package gang

import (
	"cmp"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// Pods are the pods of one gang, in the order of its roles.
func (w Writer) Pods(s *scenario.Submit, name string) []*unstructured.Unstructured {
	if pods := s.Manifest.Pods(); len(pods) > 0 {
		return w.ownPods(s, name, pods)
	}
	var pods []*unstructured.Unstructured
	for _, r := range s.Roles {
		for i := range r.Count {
			pod := w.pod(s, name, r, fmt.Sprintf("%s-%s-%d", name, r.Name, i))
			if i >= r.Count-r.Gated {
				put(pod.Object, "spec.schedulingGates", []any{map[string]any{"name": Gate}})
			}
			pods = append(pods, pod)
		}
	}
	return pods
}

func (w Writer) pod(s *scenario.Submit, gang string, r scenario.Role, name string) *unstructured.Unstructured {
	spec := podSpec(gang, r, "main", w.Scheduler)
	spec["restartPolicy"] = "Never"
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Pod", "spec": spec}}
	u.SetNamespace(w.Namespace)
	u.SetName(name)
	u.SetLabels(memberLabels(gang, r.Name))
	w.join(u, s, gang)
	return u
}

// ownPods are pods as their author wrote them, made members of a gang. Where it goes by
// another name than theirs, so do they.
func (w Writer) ownPods(s *scenario.Submit, name string, pods []*unstructured.Unstructured) []*unstructured.Unstructured {
	for _, u := range pods {
		podName := u.GetName()
		if name != s.Manifest.Gang {
			podName = name + "-" + podName
		}
		w.adopt(u, podName, name)
		put(u.Object, "spec.schedulerName", w.Scheduler)
		w.join(u, s, name)
	}
	return pods
}

// join makes a pod name the gang's group, wherever the backend looks for it.
func (w Writer) join(u *unstructured.Unstructured, s *scenario.Submit, gang string) {
	if w.Gang == nil || s.Ungrouped {
		return
	}
	j := w.Gang.Join
	if s.FormerKey && w.Gang.Former != nil {
		j = *w.Gang.Former
	}
	switch {
	case j.Owner != nil:
		// Own makes it so, once the owner has a UID.
	case j.Label != "":
		labels := u.GetLabels()
		labels[j.Label] = gang
		if j.MinLabel != "" {
			labels[j.MinLabel] = fmt.Sprint(s.Minimum())
		}
		u.SetLabels(labels)
	case j.Annotation != "":
		annotations := u.GetAnnotations()
		if annotations == nil {
			annotations = map[string]string{}
		}
		annotations[j.Annotation] = gang
		u.SetAnnotations(annotations)
	default:
		put(u.Object, j.Field, gang)
		for path, value := range j.Fields {
			put(u.Object, path, value)
		}
	}
}

// memberLabels say whose pod it is, in our words.
func memberLabels(gang, role string) map[string]string {
	return map[string]string{GangLabel: gang, RoleLabel: role, ManagedBy: "gangctl"}
}

// amounts are what a pod of the role requests.
func amounts(r scenario.Role) map[string]any {
	all := map[string]any{}
	if r.CPU != "" {
		all["cpu"] = r.CPU
	}
	if r.Memory != "" {
		all["memory"] = r.Memory
	}
	if r.GPUs > 0 {
		all[timeline.GPU] = fmt.Sprint(r.GPUs)
	}
	return all
}

// podSpec is what every pod of a role asks for. Without a scheduler, an operator sets it.
func podSpec(gang string, r scenario.Role, container, scheduler string) map[string]any {
	limits := map[string]any{}
	if r.GPUs > 0 {
		limits[timeline.GPU] = fmt.Sprint(r.GPUs)
	}
	spec := map[string]any{
		"containers": []any{map[string]any{
			"name":      container,
			"image":     "registry.k8s.io/pause:3.10",
			"resources": map[string]any{"requests": amounts(r), "limits": limits},
		}},
		// Seconds matter when a gang is taken away.
		"terminationGracePeriodSeconds": int64(0),
	}
	if scheduler = cmp.Or(r.Scheduler, scheduler); scheduler != "" {
		spec["schedulerName"] = scheduler
	}
	if len(r.NodeSelector) > 0 {
		spec["nodeSelector"] = toAny(r.NodeSelector)
	}
	if r.AntiAffinity != "" {
		spec["affinity"] = apart(gang, r.AntiAffinity)
	}
	if r.Priority > 0 {
		spec["priorityClassName"] = priorityClass(r.Priority)
	}
	return spec
}

// apart keeps the gang's pods from nodes with the same value of a label.
func apart(gang, key string) map[string]any {
	return map[string]any{"podAntiAffinity": map[string]any{
		"requiredDuringSchedulingIgnoredDuringExecution": []any{map[string]any{
			"topologyKey":   key,
			"labelSelector": map[string]any{"matchLabels": map[string]any{GangLabel: gang}},
		}},
	}}
}
