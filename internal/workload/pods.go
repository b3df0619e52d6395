package workload

import (
	"cmp"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

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
			g.strip(group, title(group), []string{way.Group.QueueField, way.Group.PriorityField})
		default:
			g.leaveOut("%s", title(u))
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

func setRole(pod *unstructured.Unstructured, role string) {
	labels := pod.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	labels[gang.RoleLabel] = role
	pod.SetLabels(labels)
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
		setRole(m.Unstructured, m.role)
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
