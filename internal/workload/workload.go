// Package workload finds the gang in a manifest of a user's own, and writes the cases
// that put it to the test.
package workload

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"

	"github.com/gangctl/gangctl/internal/catalog"
)

// File is a manifest: its objects, in their order.
type File struct {
	Name    string
	objects []*unstructured.Unstructured
}

// Read reads a manifest. The error names the file and the document.
func Read(name string, data []byte) (*File, error) {
	f := &File{Name: name}
	seen := map[string]int{}
	reader := utilyaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(data)))
	for n := 1; ; n++ {
		doc, err := reader.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		at := fmt.Sprintf("%s: document %d", name, n)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		text, err := yaml.YAMLToJSONStrict(doc)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		if string(text) == "null" {
			n-- // nothing but comments
			continue
		}
		u := &unstructured.Unstructured{}
		if err := u.UnmarshalJSON(text); err != nil {
			return nil, fmt.Errorf("%s: %w", at, err)
		}
		if u.IsList() {
			return nil, fmt.Errorf("%s: kind: a %s must be taken apart into documents", at, u.GetKind())
		}
		if u.GetAPIVersion() == "" || u.GetName() == "" {
			return nil, fmt.Errorf("%s: apiVersion %q and metadata.name %q must be set", at, u.GetAPIVersion(), u.GetName())
		}
		id := u.GetAPIVersion() + " " + u.GetKind() + " " + u.GetName()
		if other := seen[id]; other > 0 {
			return nil, fmt.Errorf("%s: metadata.name: %q is the name of the %s of document %d, too", at, u.GetName(), u.GetKind(), other)
		}
		seen[id] = n
		asSubmitted(u)
		f.objects = append(f.objects, u)
	}
	if len(f.objects) == 0 {
		return nil, fmt.Errorf("%s: holds no object", name)
	}
	return f, nil
}

// asSubmitted takes away what is not the author's: kubectl get prints it, too.
func asSubmitted(u *unstructured.Unstructured) {
	for _, field := range []string{
		"resourceVersion", "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "generation", "managedFields",
		"selfLink", "ownerReferences", "finalizers",
	} {
		unstructured.RemoveNestedField(u.Object, "metadata", field)
	}
	delete(u.Object, "status")
}

// Pair is the operator that makes the pods of the file's job, on a backend's release; nil
// where the backend does so itself, or the file holds the pods. Of several that serve the job's kind it is the
// one of the newest Kubernetes, or the one that ref names.
func (f *File) Pair(c *catalog.Catalog, on *catalog.Release, ref string) (*catalog.Pair, error) {
	own := on.Gang().Job
	job, err := f.job(c, own)
	switch {
	case err != nil:
		return nil, err
	case job == nil && ref != "":
		return nil, fmt.Errorf("%s: holds pods and no job: operator %s has nothing to do with them", f.Name, ref)
	case job != nil && own != nil && is(job, own.ObjectKind) && ref != "":
		return nil, fmt.Errorf("%s: %s %s is a job of %s's own: operator %s has nothing to do with it", f.Name, job.GetKind(), job.GetName(), on, ref)
	case job == nil || own != nil && is(job, own.ObjectKind):
		return nil, nil
	}
	asked, kind, ofKind := strings.Cut(ref, "/")
	if ofKind && kind != job.GetKind() {
		return nil, fmt.Errorf("%s: %s %s: operator %s is asked for jobs of another kind", f.Name, job.GetKind(), job.GetName(), ref)
	}
	var best *catalog.Pair
	var why []string
	for _, o := range c.Operators {
		if name, _, _ := strings.Cut(asked, "@"); asked != "" && name != o.Metadata.Name {
			continue
		}
		if !serves(o, job) {
			continue
		}
		want := cmp.Or(asked, o.Metadata.Name)
		p, err := c.Pair(want+"/"+job.GetKind(), on)
		if err == nil {
			err = p.Supports(p.Kubernetes)
		}
		if err != nil {
			why = append(why, err.Error())
			continue
		}
		if best == nil || catalog.CompareVersions(p.Kubernetes, best.Kubernetes) > 0 {
			best = p
		}
	}
	switch {
	case best != nil:
		return best, nil
	case len(why) > 0:
		return nil, fmt.Errorf("%s: %s %s: %s", f.Name, job.GetKind(), job.GetName(), strings.Join(why, "; "))
	}
	return nil, fmt.Errorf("%s: %s %s: operator %s does not serve %s of %s", f.Name, job.GetKind(), job.GetName(), ref, job.GetKind(), job.GetAPIVersion())
}

// job is the file's only job of a kind that an operator serves, or the backend by its own;
// nil where it has pods.
func (f *File) job(c *catalog.Catalog, own *catalog.OwnJob) (*unstructured.Unstructured, error) {
	runs := func(u *unstructured.Unstructured) bool {
		return own != nil && is(u, own.ObjectKind) || slices.ContainsFunc(c.Operators, func(o *catalog.Operator) bool { return serves(o, u) })
	}
	var job *unstructured.Unstructured
	var others []string
	pods := 0
	for _, u := range f.objects {
		switch {
		case isPod(u):
			pods++
		case !runs(u):
			others = append(others, fmt.Sprintf("%s of %s", u.GetKind(), u.GetAPIVersion()))
		case job != nil:
			return nil, fmt.Errorf("%s: %s %s and %s %s are two jobs: one gang at a time", f.Name, job.GetKind(), job.GetName(), u.GetKind(), u.GetName())
		default:
			job = u
		}
	}
	switch {
	case job != nil && pods > 0:
		return nil, fmt.Errorf("%s: %s %s and pods besides: the job's pods are made of it", f.Name, job.GetKind(), job.GetName())
	case job == nil && pods == 0:
		return nil, fmt.Errorf("%s: no gang is in it: of %s, none is a pod, or a job that an operator of the catalog or the backend runs (%s)",
			f.Name, strings.Join(others, ", "), strings.Join(kinds(c), ", "))
	}
	return job, nil
}

func isPod(u *unstructured.Unstructured) bool {
	return u.GetAPIVersion() == "v1" && u.GetKind() == "Pod"
}

func serves(o *catalog.Operator, u *unstructured.Unstructured) bool {
	return slices.ContainsFunc(o.Spec.Jobs, func(j catalog.Job) bool { return is(u, j.ObjectKind) })
}

func is(u *unstructured.Unstructured, k catalog.ObjectKind) bool {
	return u.GetAPIVersion() == k.APIVersion && u.GetKind() == k.Kind
}

// kinds are those of all operators and backends, each once.
func kinds(c *catalog.Catalog) []string {
	var all []string
	for _, b := range c.Backends {
		if j := b.Spec.Gang.Job; j != nil {
			all = append(all, fmt.Sprintf("%s of %s on %s", j.Kind, j.APIVersion, b.Metadata.Name))
		}
	}
	for _, o := range c.Operators {
		for _, j := range o.Spec.Jobs {
			if name := j.Kind + " of " + j.APIVersion; !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}
