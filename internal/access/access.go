// Package access compares what roles grant with what was asked for, as the API
// server's audit log has it.
package access

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Request is what a user asked for, and how often.
type Request struct {
	User string `json:"user"`
	Verb string `json:"verb"`
	// Group is the API group; empty is the core one.
	Group string `json:"group,omitempty"`
	// Resource is the plural, with its subresource behind a slash.
	Resource string `json:"resource"`
	Count    int    `json:"count"`
	// Refused counts those that the user had no right to.
	Refused int `json:"refused,omitempty"`
	// Missing counts the lists and watches of what the API server does not serve.
	Missing int `json:"missing,omitempty"`
}

// Grant is one verb on one resource that a role gives to a user.
type Grant struct {
	User, Role            string
	Verb, Group, Resource string
	// Ours says that the role is gangctl's, not upstream's.
	Ours bool
	// Kept says why an unused grant stays, from the role's own annotation.
	Kept string
}

const (
	managedBy = "app.kubernetes.io/managed-by"
	// KeptAnnotation has a line "verb,verb resource: reason" for grants that are kept
	// although a run of the cases need not use them.
	KeptAnnotation = "gangctl.dev/kept"
)

// String is the grant as people say it.
func (g Grant) String() string { return g.Verb + " " + qualified(g.Resource, g.Group) }

// Qualified is the resource with its group.
func (r Request) Qualified() string { return qualified(r.Resource, r.Group) }

func qualified(resource, group string) string {
	if group == "" {
		return resource
	}
	return resource + "." + group
}

// Grants lists what the objects' roles give to the ServiceAccounts that they bind,
// by user, role and grant.
func Grants(objects []*unstructured.Unstructured) ([]Grant, error) {
	var all []Grant
	for _, o := range objects {
		if o.GetKind() != "ClusterRoleBinding" && o.GetKind() != "RoleBinding" {
			continue
		}
		var b rbacv1.RoleBinding // a ClusterRoleBinding has the same fields
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, &b); err != nil {
			return nil, fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
		}
		role := find(objects, b.RoleRef.Kind, b.RoleRef.Name)
		if role == nil {
			continue // the cluster's own: not the bundle's to answer for
		}
		var r rbacv1.ClusterRole
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(role.Object, &r); err != nil {
			return nil, fmt.Errorf("%s %s: %w", role.GetKind(), role.GetName(), err)
		}
		for _, s := range b.Subjects {
			if s.Kind == "ServiceAccount" {
				all = append(all, grantsOf(&r, "system:serviceaccount:"+s.Namespace+":"+s.Name)...)
			}
		}
	}
	slices.SortFunc(all, func(a, b Grant) int {
		return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Role, b.Role), cmp.Compare(a.Group, b.Group),
			cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Verb, b.Verb))
	})
	return slices.Compact(all), nil
}

func grantsOf(r *rbacv1.ClusterRole, user string) []Grant {
	kept := map[string]string{}
	for line := range strings.Lines(r.Annotations[KeptAnnotation]) {
		what, why, _ := strings.Cut(strings.TrimSpace(line), ": ")
		verbs, resource, _ := strings.Cut(what, " ")
		for verb := range strings.SplitSeq(verbs, ",") {
			kept[verb+" "+resource] = why
		}
	}
	var all []Grant
	for _, rule := range r.Rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					g := Grant{User: user, Role: r.Name, Verb: verb, Group: group, Resource: resource, Ours: r.Labels[managedBy] == "gangctl"}
					g.Kept = kept[g.String()]
					all = append(all, g)
				}
			}
		}
	}
	return all
}

func find(objects []*unstructured.Unstructured, kind, name string) *unstructured.Unstructured {
	for _, o := range objects {
		if o.GetKind() == kind && o.GetName() == name {
			return o
		}
	}
	return nil
}

// Unused lists the grants that no request needed.
func Unused(grants []Grant, asked []Request) []Grant {
	var all []Grant
	for _, g := range grants {
		if !slices.ContainsFunc(asked, func(r Request) bool { return r.Refused < r.Count && g.covers(r) }) {
			all = append(all, g)
		}
	}
	return all
}

// Together joins the grants of one role on one resource into one, with all their verbs.
func Together(grants []Grant) []Grant {
	var all []Grant
	for _, g := range grants {
		like := func(o Grant) bool {
			o.Verb = g.Verb
			return o == g
		}
		if i := slices.IndexFunc(all, like); i >= 0 {
			all[i].Verb += "," + g.Verb
			continue
		}
		all = append(all, g)
	}
	return all
}

func (g Grant) covers(r Request) bool {
	is := func(granted, asked string) bool { return granted == "*" || granted == asked }
	return g.User == r.User && is(g.Verb, r.Verb) && is(g.Group, r.Group) && is(g.Resource, r.Resource)
}

// Refused lists the requests of a user that were refused, if only once.
func Refused(asked []Request, user string) []Request {
	return slices.DeleteFunc(slices.Clone(asked), func(r Request) bool { return r.User != user || r.Refused == 0 })
}

// Smallest is the smallest set of rules that allows what the user asked for.
func Smallest(asked []Request, user string) []rbacv1.PolicyRule {
	type on struct{ group, resource string }
	verbs := map[on][]string{}
	for _, r := range asked {
		if at := (on{r.Group, r.Resource}); r.User == user && !slices.Contains(verbs[at], r.Verb) {
			verbs[at] = append(verbs[at], r.Verb)
		}
	}
	// Resources of one group with the same verbs make one rule.
	type like struct{ group, verbs string }
	rules := map[like]*rbacv1.PolicyRule{}
	for at, v := range verbs {
		slices.Sort(v)
		key := like{at.group, strings.Join(v, ",")}
		if rules[key] == nil {
			rules[key] = &rbacv1.PolicyRule{APIGroups: []string{at.group}, Verbs: v}
		}
		rules[key].Resources = append(rules[key].Resources, at.resource)
	}
	var all []rbacv1.PolicyRule
	for _, r := range rules {
		slices.Sort(r.Resources)
		all = append(all, *r)
	}
	slices.SortFunc(all, func(a, b rbacv1.PolicyRule) int {
		return cmp.Or(cmp.Compare(a.APIGroups[0], b.APIGroups[0]), cmp.Compare(a.Resources[0], b.Resources[0]))
	})
	return all
}

// Merge adds requests up.
func Merge(sets ...[]Request) []Request {
	sum := map[Request]*Request{}
	var all []Request
	for _, r := range slices.Concat(sets...) {
		key := r
		key.Count, key.Refused, key.Missing = 0, 0, 0
		if sum[key] == nil {
			sum[key] = &Request{User: r.User, Verb: r.Verb, Group: r.Group, Resource: r.Resource}
		}
		sum[key].Count += r.Count
		sum[key].Refused += r.Refused
		sum[key].Missing += r.Missing
	}
	for _, r := range sum {
		all = append(all, *r)
	}
	slices.SortFunc(all, func(a, b Request) int {
		return cmp.Or(cmp.Compare(a.User, b.User), cmp.Compare(a.Group, b.Group), cmp.Compare(a.Resource, b.Resource), cmp.Compare(a.Verb, b.Verb))
	})
	return all
}
