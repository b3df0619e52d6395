package workload

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// addRole adds the pods of a template.
func (g *Gang) addRole(where, name string, count int64, template map[string]any, scheduler string) error {
	needs, err := g.prepare(where, template, scheduler)
	if err != nil {
		return err
	}
	g.Roles = append(g.Roles, role(name, int(count), needs))
	for range count {
		g.needs = append(g.needs, needs)
	}
	return nil
}

// role has a pod's requests in the words of cases.
func role(name string, count int, needs timeline.Pod) scenario.Role {
	r := scenario.Role{Name: name, Count: count, GPUs: int(needs.Requests[timeline.GPU])}
	if m := needs.Requests["cpu"]; m > 0 {
		r.CPU = resource.NewMilliQuantity(m, resource.DecimalSI).String()
	}
	if b := needs.Requests["memory"]; b > 0 {
		r.Memory = resource.NewQuantity(b, resource.BinarySI).String()
	}
	return r
}

// countOf is a number of pods; 1 where there is none.
func countOf(where string, number any) (int64, error) {
	if number == nil {
		return 1, nil
	}
	count, ok := number.(int64)
	if !ok {
		return 0, fmt.Errorf("%s: %v must be a whole number", where, number)
	}
	if count < 0 || count > mostPods {
		return 0, fmt.Errorf("%s: %d must be from 0 to %d", where, count, mostPods)
	}
	return count, nil
}

// someOf is countOf where there must be a pod.
func someOf(where string, number any) (int64, error) {
	count, err := countOf(where, number)
	if err == nil && count == 0 {
		err = fmt.Errorf("%s: 0 must be from 1 to %d", where, mostPods)
	}
	return count, err
}

// named is an entry of a list of roles, which must have a name and nothing unread.
func named(where string, e any, paths []string) (entry map[string]any, role string, err error) {
	entry, _ = e.(map[string]any)
	if role, _ = entry["name"].(string); role == "" {
		return nil, "", fmt.Errorf("%s.name: must be set", where)
	}
	return entry, role, unread(where+".", entry, paths)
}

// prepare checks a pod or a pod template, takes away what a lab does not have and no
// scheduler of gangs looks at, and returns what it needs.
func (g *Gang) prepare(where string, template map[string]any, scheduler string) (timeline.Pod, error) {
	spec, _ := template["spec"].(map[string]any)
	if spec == nil {
		return timeline.Pod{}, fmt.Errorf("%s.spec: must be set", where)
	}
	if asked := spec["schedulerName"]; asked != nil && asked != scheduler {
		return timeline.Pod{}, fmt.Errorf("%s.spec.schedulerName: %q is not the backend's, %q", where, asked, scheduler)
	}
	for _, field := range []string{"nodeName", "schedulingGates", "resourceClaims"} {
		if spec[field] != nil {
			return timeline.Pod{}, fmt.Errorf("%s.spec.%s: %v: a pod with it is not the scheduler's to bind by its requests", where, field, spec[field])
		}
	}
	g.strip(&unstructured.Unstructured{Object: template}, where, absent)
	for _, list := range []string{"containers", "initContainers"} {
		containers, _ := spec[list].([]any)
		for i := range containers {
			ports, _ := gang.Field(containers[i], "ports").([]any)
			for _, p := range ports {
				if p, _ := p.(map[string]any); p["hostPort"] != nil {
					delete(p, "hostPort")
					g.leaveOut("%s.spec.%s[%d]: hostPort", where, list, i)
				}
			}
		}
	}
	volumes, _ := spec["volumes"].([]any)
	for i, v := range volumes {
		if volume, _ := v.(map[string]any); volume["persistentVolumeClaim"] != nil || volume["ephemeral"] != nil {
			volumes[i] = map[string]any{"name": volume["name"], "emptyDir": map[string]any{}}
			g.leaveOut("%s.spec.volumes[%d], as an empty directory is in its place", where, i)
		}
	}
	pod := &corev1.Pod{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(map[string]any{"spec": spec}, pod); err != nil {
		return timeline.Pod{}, fmt.Errorf("%s: %w", where, err)
	}
	if err := g.choose(where, pod.Spec.NodeSelector, pod.Spec.Affinity); err != nil {
		return timeline.Pod{}, err
	}
	for _, containers := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		for i := range containers {
			requestLimits(&containers[i])
		}
	}
	needs := gang.Needs(pod)
	for _, r := range slices.Sorted(maps.Keys(needs.Requests)) {
		most, ok := mostOf[r]
		switch {
		case strings.HasPrefix(r, corev1.ResourceHugePagesPrefix):
			most = mostOf["memory"]
		case !ok:
			most = mostDevices
		}
		if amount := needs.Requests[r]; amount < 0 || amount > most {
			return timeline.Pod{}, fmt.Errorf("%s: asks for %d of %s, and no node can ever hold more than %d", where, amount, r, most)
		}
	}
	return needs, nil
}

// absent are the fields of a pod that name what a lab does not have, or that put pods near each
// other or apart: what is told of a gang without them is no less true.
var absent = []string{
	"spec.priorityClassName", "spec.priority", "spec.preemptionPolicy", "spec.serviceAccountName", "spec.serviceAccount", "spec.runtimeClassName",
	"spec.overhead", "spec.hostNetwork", "spec.topologySpreadConstraints", "spec.affinity.podAffinity", "spec.affinity.podAntiAffinity",
}

// requestLimits does as the API server: what has a limit alone is requested.
func requestLimits(c *corev1.Container) {
	for name, q := range c.Resources.Limits {
		if _, set := c.Resources.Requests[name]; !set {
			if c.Resources.Requests == nil {
				c.Resources.Requests = corev1.ResourceList{}
			}
			c.Resources.Requests[name] = q
		}
	}
}

// mostOf is what no node has more of: CPU in millicores, the others in bytes. Of a device,
// mostDevices is more than time-slicing makes of any node's.
var mostOf = map[string]int64{"cpu": 4_096_000, "memory": 1 << 46, "ephemeral-storage": 200 << 30}

const mostDevices = 1024

// choose notes the labels that the pods want their nodes to have: all nodes get them.
func (g *Gang) choose(where string, selector map[string]string, affinity *corev1.Affinity) error {
	labels := maps.Clone(selector)
	if labels == nil {
		labels = map[string]string{}
	}
	if affinity != nil && affinity.NodeAffinity != nil && affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution != nil {
		if err := want(labels, affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms); err != nil {
			return fmt.Errorf("%s.spec.affinity.nodeAffinity: %w", where, err)
		}
	}
	for key, value := range labels {
		if have, ok := g.labels[key]; ok && have != value {
			return fmt.Errorf("%s.spec.nodeSelector: %s: pods of one gang want both %q and %q: the lab's nodes are all alike", where, key, have, value)
		}
		g.labels[key] = value
	}
	return nil
}

// want notes the labels of node selector terms. They are alternatives: the first will do.
func want(labels map[string]string, terms []corev1.NodeSelectorTerm) error {
	if len(terms) == 0 || len(terms[0].MatchFields) > 0 {
		return errors.New("nodeSelectorTerms: the first must be of labels: the lab's nodes have names of their own")
	}
	var not []corev1.NodeSelectorRequirement
	for _, x := range terms[0].MatchExpressions {
		value, set := labels[x.Key]
		switch {
		case x.Operator == corev1.NodeSelectorOpIn && len(x.Values) > 0 && (!set || slices.Contains(x.Values, value)):
			labels[x.Key] = cmp.Or(value, x.Values[0])
		case x.Operator == corev1.NodeSelectorOpExists:
			labels[x.Key] = cmp.Or(labels[x.Key], "true")
		case x.Operator == corev1.NodeSelectorOpNotIn, x.Operator == corev1.NodeSelectorOpDoesNotExist:
			not = append(not, x)
		default:
			return fmt.Errorf("%s %s %v: the lab's nodes have no such label", x.Key, x.Operator, x.Values)
		}
	}
	// A node without the label is right.
	for _, x := range not {
		if value, ok := labels[x.Key]; ok && (x.Operator == corev1.NodeSelectorOpDoesNotExist || slices.Contains(x.Values, value)) {
			return fmt.Errorf("%s %s %v: the lab's nodes have it with %q, as it is wanted besides", x.Key, x.Operator, x.Values, value)
		}
	}
	return nil
}

// unread says which field decides on the pods in a way that is not known here.
func unread(where string, object map[string]any, paths []string) error {
	for _, path := range paths {
		if gang.Field(object, path) != nil {
			return fmt.Errorf("%s%s: is not known here, and decides on the gang's pods: such a job can't be taken", where, path)
		}
	}
	return nil
}
