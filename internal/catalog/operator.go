package catalog

import (
	"cmp"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

const operatorsFolder = "bundles/operators"

// Operator turns jobs into gangs: bundles/operators/<name>/operator.yaml.
type Operator struct {
	APIVersion string       `json:"apiVersion"`
	Kind       string       `json:"kind"`
	Metadata   Metadata     `json:"metadata"`
	Spec       OperatorSpec `json:"spec"`

	// Releases are the version folders beneath the operator, oldest first.
	Releases []*OperatorRelease `json:"-"`
}

// OperatorSpec says which jobs the operator serves.
type OperatorSpec struct {
	// Title is the operator's name as people write it.
	Title string `json:"title"`
	// Docs is where the operator documents gang scheduling.
	Docs string `json:"docs"`
	// Jobs are the kinds of job; the first is used where none is asked for.
	Jobs []Job `json:"jobs"`
	// Absent are the dotted paths of what a job of a manifest may name and a lab does not
	// have, such as a queue.
	Absent []string `json:"absent,omitempty"`
}

// OperatorRelease is one version of an operator: bundles/operators/<operator>/<version>.
type OperatorRelease struct {
	APIVersion string              `json:"apiVersion"`
	Kind       string              `json:"kind"`
	Spec       OperatorReleaseSpec `json:"spec"`

	// Operator and Version come from the folders' names.
	Operator *Operator `json:"-"`
	Version  string    `json:"-"`
	// Path is the release's folder within the catalog, slash-separated.
	Path string `json:"-"`
}

// OperatorReleaseSpec is what differs between versions.
type OperatorReleaseSpec struct {
	Bundle `json:",inline"`
	// GangFlag is where the operator is told of the scheduler; nil where jobs say it.
	GangFlag *GangFlag `json:"gangFlag,omitempty"`
	// Backends are the releases that the version is run with, each with its overlay.
	Backends []OperatorBackend `json:"backends"`
	// Kinds are those of the operator's that this version serves; all by default.
	Kinds []string `json:"kinds,omitempty"`
}

// GangFlag is a flag of a Deployment's only container.
type GangFlag struct {
	// Deployment is namespace/name.
	Deployment string `json:"deployment"`
	Flag       string `json:"flag"`
	// Switch says that the flag is true or false, and names no scheduler.
	Switch bool `json:"switch,omitempty"`
}

// OperatorBackend is an overlay, and the backend's release that it is run with.
type OperatorBackend struct {
	// Release is backend@version, with +variant behind it for one.
	Release string `json:"release"`
	// Overlay is the folder below overlays/.
	Overlay string `json:"overlay"`
	// Kubernetes is the lab's version for the two; the backend release's by default.
	Kubernetes string `json:"kubernetes,omitempty"`
	// Fields make a gang of a job, by path: in its runtime where it has one. They are
	// left out where gang scheduling is off.
	Fields map[string]any `json:"fields,omitempty"`
}

// Pair is an operator's release on a backend's, with one kind of job.
type Pair struct {
	Operator *OperatorRelease
	Backend  *Release
	Job      *Job
	// Overlay is the folder of the kustomization with gang scheduling on; Base has it off.
	Overlay, Base string
	// Kubernetes is the version that the lab runs the two on.
	Kubernetes string
	// Fields make a gang of a job; see OperatorBackend.
	Fields map[string]any
}

// String is operator@version.
func (r *OperatorRelease) String() string { return r.Operator.Metadata.Name + "@" + r.Version }

// Modules are what the release's binaries are built from.
func (r *OperatorRelease) Modules() []Module { return r.Spec.modules(r.String(), r.Path) }

// jobs are those of the operator's that this version serves.
func (r *OperatorRelease) jobs() []*Job {
	var all []*Job
	for i := range r.Operator.Spec.Jobs {
		j := &r.Operator.Spec.Jobs[i]
		if len(r.Spec.Kinds) == 0 || slices.Contains(r.Spec.Kinds, j.Kind) {
			all = append(all, j)
		}
	}
	return all
}

// Kinds are the kinds of job that the version serves, the default first.
func (r *OperatorRelease) Kinds() []string {
	var all []string
	for _, j := range r.jobs() {
		all = append(all, j.Kind)
	}
	return all
}

// BackendNames are the backend releases that the version is run with.
func (r *OperatorRelease) BackendNames() []string {
	var all []string
	for _, b := range r.Spec.Backends {
		all = append(all, b.Release)
	}
	return all
}

// String is operator@version/Kind.
func (p *Pair) String() string { return p.Operator.String() + "/" + p.Job.Kind }

// Supports reports whether both ranges hold a Kubernetes version.
func (p *Pair) Supports(kubernetes string) error {
	if err := p.Backend.Supports(kubernetes); err != nil {
		return err
	}
	return p.Operator.Spec.supports(p.Operator, kubernetes)
}

// Pair finds operator[@version][/Kind] for a backend's release. Without a version it is
// the newest that is run with this backend.
func (c *Catalog) Pair(ref string, on *Release) (*Pair, error) {
	name, kind, _ := strings.Cut(ref, "/")
	name, version, pinned := strings.Cut(name, "@")
	var names []string
	for _, o := range c.Operators {
		names = append(names, o.Metadata.Name)
		if o.Metadata.Name != name {
			continue
		}
		var versions []string
		var newest error
		for _, r := range slices.Backward(o.Releases) {
			versions = append(versions, r.Version)
			if pinned && r.Version != version {
				continue
			}
			p, err := c.pair(r, kind, on)
			if err == nil || pinned {
				return p, err
			}
			newest = cmp.Or(newest, err)
		}
		if newest != nil {
			return nil, newest
		}
		return nil, Unknown("version of "+name, version, versions)
	}
	return nil, Unknown("operator", name, names)
}

func (c *Catalog) pair(r *OperatorRelease, kind string, on *Release) (*Pair, error) {
	p := &Pair{Operator: r, Backend: on, Base: r.Path + "/base"}
	for _, j := range r.jobs() {
		if p.Job == nil && (kind == "" || kind == j.Kind) {
			p.Job = j
		}
	}
	if p.Job == nil {
		return nil, Unknown("kind of "+r.String(), kind, r.Kinds())
	}
	// The overlay is for the backend, and was run with one version of it.
	for _, b := range r.Spec.Backends {
		of, err := c.Release(b.Release)
		if err != nil {
			return nil, err
		}
		if of.Backend != on.Backend || of.variant() != on.variant() {
			continue
		}
		p.Overlay, p.Kubernetes, p.Fields = r.Path+"/overlays/"+b.Overlay, on.Spec.Kubernetes.Lab, b.Fields
		if b.Kubernetes != "" {
			p.Kubernetes = b.Kubernetes
		}
		if of == on {
			break
		}
	}
	if p.Overlay == "" {
		return nil, fmt.Errorf("%s has no overlay for %s (it has: %s)", r, on, strings.Join(r.BackendNames(), ", "))
	}
	return p, nil
}

// Pairs lists every operator release on every backend release that it names: all its
// kinds of job on the first of them, and its first kind on the others.
func (c *Catalog) Pairs() ([]*Pair, error) {
	var all []*Pair
	for _, o := range c.Operators {
		for _, r := range o.Releases {
			kinds := r.Kinds()
			for _, b := range r.Spec.Backends {
				on, err := c.Release(b.Release)
				if err != nil {
					return nil, fmt.Errorf("%s/release.yaml: spec.backends: %w", r.Path, err)
				}
				for _, kind := range kinds {
					p, err := c.pair(r, kind, on)
					if err != nil {
						return nil, fmt.Errorf("%s/release.yaml: spec.backends: %w", r.Path, err)
					}
					all = append(all, p)
				}
				kinds = kinds[:1]
			}
		}
	}
	return all, nil
}

// checkPairs checks that every operator fits what it names.
func (c *Catalog) checkPairs() error {
	all, err := c.Pairs()
	if err != nil {
		return err
	}
	for _, p := range all {
		if err := p.Supports(p.Kubernetes); err != nil {
			return fmt.Errorf("%s/release.yaml: spec.backends: %s: %w", p.Operator.Path, p.Backend, err)
		}
	}
	return nil
}

func loadOperators(tree fs.FS) ([]*Operator, error) {
	dirs, err := folders(tree, operatorsFolder)
	if err != nil {
		return nil, err
	}
	var all []*Operator
	for _, dir := range dirs {
		o, err := loadOperator(tree, dir)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	return all, nil
}

func loadOperator(tree fs.FS, dir string) (*Operator, error) {
	file := dir + "/operator.yaml"
	o := &Operator{}
	if err := decode(tree, file, "Operator", o, &o.APIVersion, &o.Kind); err != nil {
		return nil, err
	}
	if o.Metadata.Name != path.Base(dir) {
		return nil, fmt.Errorf("%s: metadata.name: %q must be the folder's name, %q", file, o.Metadata.Name, path.Base(dir))
	}
	if o.Spec.Title == "" || len(o.Spec.Jobs) == 0 {
		return nil, fmt.Errorf("%s: spec: title and jobs must be set", file)
	}
	for i, j := range o.Spec.Jobs {
		if err := checkJob(j); err != nil {
			return nil, fmt.Errorf("%s: spec.jobs[%d]: %w", file, i, err)
		}
	}
	if err := o.loadLifecycle(tree, dir); err != nil {
		return nil, err
	}
	versions, err := folders(tree, dir)
	if err != nil {
		return nil, err
	}
	for _, v := range versions {
		r, err := loadOperatorRelease(tree, v, o)
		if err != nil {
			return nil, err
		}
		o.Releases = append(o.Releases, r)
	}
	if len(o.Releases) == 0 {
		return nil, fmt.Errorf("%s: no version folder with a release.yaml beside it", file)
	}
	slices.SortFunc(o.Releases, func(x, y *OperatorRelease) int { return CompareVersions(x.Version, y.Version) })
	return o, nil
}

func loadOperatorRelease(tree fs.FS, dir string, o *Operator) (*OperatorRelease, error) {
	file := dir + "/release.yaml"
	r := &OperatorRelease{Operator: o, Path: dir, Version: path.Base(dir)}
	if err := decode(tree, file, "OperatorRelease", r, &r.APIVersion, &r.Kind); err != nil {
		return nil, err
	}
	if err := checkVersion(file, r.Version); err != nil {
		return nil, err
	}
	s := &r.Spec
	if err := checkBundle(tree, file, r, &s.Bundle); err != nil {
		return nil, err
	}
	if g := s.GangFlag; g != nil && (g.Flag == "" || !strings.Contains(g.Deployment, "/")) {
		return nil, fmt.Errorf("%s: spec.gangFlag: flag must be set, and deployment %q be namespace/name", file, g.Deployment)
	}
	for i, k := range s.Kinds {
		if !slices.ContainsFunc(o.Spec.Jobs, func(j Job) bool { return j.Kind == k }) {
			return nil, fmt.Errorf("%s: spec.kinds[%d]: %q is not among the jobs of operator.yaml", file, i, k)
		}
	}
	if len(s.Backends) == 0 {
		return nil, fmt.Errorf("%s: spec.backends: there must be one", file)
	}
	for i, b := range s.Backends {
		if err := checkKustomization(tree, file, dir+"/overlays/"+b.Overlay); err != nil {
			return nil, fmt.Errorf("%w (spec.backends[%d].overlay)", err, i)
		}
	}
	return r, checkKustomization(tree, file, dir+"/base")
}
