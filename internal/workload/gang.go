package workload

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// Gang is what a file comes to on one backend.
type Gang struct {
	// Name is the job's, or the group's that the pods name.
	Name string
	// Roles are its pods, with their requests.
	Roles []scenario.Role
	// Min is how many of them it needs.
	Min int
	// LeftOut says, each in a phrase, what of the file is not taken into the lab.
	LeftOut []string

	manifest *scenario.Manifest
	madeBy   string
	file     string
	needs    []timeline.Pod // of each pod, in the order of the roles
	labels   map[string]string
}

// Gang finds the file's gang. The error names the object and the field that stand in
// the way.
func (f *File) Gang(r *catalog.Release, p *catalog.Pair) (*Gang, error) {
	g := &Gang{file: f.Name, labels: map[string]string{}}
	way := r.Gang()
	var err error
	switch {
	case p != nil:
		err = g.fromJob(f, p, r.SchedulerName())
	case way.Job != nil && slices.ContainsFunc(f.objects, func(u *unstructured.Unstructured) bool { return is(u, way.Job.ObjectKind) }):
		err = g.fromOwnJob(f, way.Job, r.SchedulerName())
	default:
		err = g.fromPods(f, &way, r.SchedulerName())
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", f.Name, err)
	}
	if g.Min < 2 {
		return nil, fmt.Errorf("%s: %s: its minimum is %d: a gang needs two pods to be bound in part", f.Name, g.Name, g.Min)
	}
	return g, nil
}

// mostPods is the largest gang that is taken: the oracle must be exact for it.
const mostPods = 256

// fromPods reads pods, and the group that they name.
func (g *Gang) fromPods(f *File, way *catalog.Gang, scheduler string) error {
	var group *unstructured.Unstructured
	var members []member
	for _, u := range f.objects {
		switch {
		case isPod(u):
			key := gang.Key(way, u)
			if key == "" {
				return fmt.Errorf("pod %s: names no group, which this backend looks for in %s", u.GetName(), way.Join)
			}
			if g.Name != "" && g.Name != key {
				return fmt.Errorf("pod %s: names the group %q, and others %q: one gang at a time", u.GetName(), key, g.Name)
			}
			g.Name = key
			u = u.DeepCopy()
			if gang.Field(u.Object, "spec.schedulerName") == nil && scheduler != corev1.DefaultSchedulerName {
				return fmt.Errorf("pod %s: spec.schedulerName: is not set, so %s never sees it", u.GetName(), scheduler)
			}
			needs, err := g.prepare("pod "+u.GetName(), u.Object, scheduler)
			if err != nil {
				return err
			}
			members = append(members, member{u, needs, ordinal.ReplaceAllString(u.GetName(), "")})
		case way.Group != nil && is(u, way.Group.ObjectKind):
			if group != nil {
				return fmt.Errorf("%s %s and %s: one gang at a time", u.GetKind(), group.GetName(), u.GetName())
			}
			group = u.DeepCopy()
			g.strip(group, group.GetKind()+" "+group.GetName(), []string{way.Group.QueueField, way.Group.PriorityField})
		default:
			g.leaveOut("%s %s", u.GetKind(), u.GetName())
		}
	}
	if len(members) > mostPods {
		return fmt.Errorf("%s: %d pods are more than %d", g.Name, len(members), mostPods)
	}
	pods := g.roles(members)
	g.Min = len(pods)
	if way.Join.MinLabel != "" {
		return g.labelled(pods, way.Join.MinLabel)
	}
	if way.Group != nil {
		if group == nil || group.GetName() != g.Name {
			return fmt.Errorf("no %s %s is in it, which its pods name", way.Group.Kind, g.Name)
		}
		least, _ := gang.Field(group.Object, way.Group.MinField).(int64)
		if least < 1 || least > int64(len(pods)) {
			return fmt.Errorf("%s %s: %s: %d must be from 1 to its %d pods", group.GetKind(), group.GetName(), way.Group.MinField, least, len(pods))
		}
		g.Min = int(least)
	}
	g.manifest = scenario.PodManifest(g.file, g.Name, pods, group)
	return nil
}

// labelled takes the minimum from the pods' own label.
func (g *Gang) labelled(pods []*unstructured.Unstructured, label string) error {
	for _, p := range pods {
		text := p.GetLabels()[label]
		least, err := strconv.Atoi(text)
		if err != nil || least < 1 || least > len(pods) {
			return fmt.Errorf("pod %s: label %s: %q must be from 1 to the %d pods", p.GetName(), label, text, len(pods))
		}
		if p != pods[0] && least != g.Min {
			return fmt.Errorf("pod %s: label %s: %d is not the %d of pod %s", p.GetName(), label, least, g.Min, pods[0].GetName())
		}
		g.Min = least
	}
	g.manifest = scenario.PodManifest(g.file, g.Name, pods, nil)
	return nil
}

// member is a pod of the file.
type member struct {
	*unstructured.Unstructured
	needs timeline.Pod
	role  string
}

// ordinal ends the names of pods that are alike.
var ordinal = regexp.MustCompile(`-[0-9]+$`)

// roles makes a role of the pods of one name, but for its ordinal, where they ask for the
// same; else one of each. It returns the pods in the roles' order.
func (g *Gang) roles(members []member) []*unstructured.Unstructured {
	first := map[string]timeline.Pod{}
	differ := map[string]bool{}
	for _, m := range members {
		if needs, ok := first[m.role]; !ok {
			first[m.role] = m.needs
		} else if !reflect.DeepEqual(needs, m.needs) {
			differ[m.role] = true
		}
	}
	for i, m := range members {
		if differ[m.role] {
			members[i].role = m.GetName()
		}
	}
	slices.SortStableFunc(members, func(a, b member) int { return cmp.Compare(a.role, b.role) })
	var pods []*unstructured.Unstructured
	for _, m := range members {
		labels := m.GetLabels()
		if labels == nil {
			labels = map[string]string{}
		}
		labels[gang.RoleLabel] = m.role
		m.SetLabels(labels)
		pods = append(pods, m.Unstructured)
		if n := len(g.Roles); n > 0 && g.Roles[n-1].Name == m.role {
			g.Roles[n-1].Count++
		} else {
			g.Roles = append(g.Roles, role(m.role, 1, m.needs))
		}
		g.needs = append(g.needs, m.needs)
	}
	return pods
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

// String says what the gang is made of.
func (g *Gang) String() string {
	s := g.submit(g.Name)
	return strings.TrimPrefix(s.String(), "gang "+g.Name+" comes, ")
}

func (g *Gang) leaveOut(format string, args ...any) {
	g.LeftOut = append(g.LeftOut, fmt.Sprintf(format, args...))
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
