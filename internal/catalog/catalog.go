// Package catalog reads the bundles and the lab's components from their folders.
//
// A folder's name is the version, so adding a version is adding a folder. Files
// are decoded strictly: an unknown field is an error that names file and field.
package catalog

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/gangctl/gangctl/internal/strict"
)

const apiVersion = "gangctl.dev/v1alpha1"

// KeptCRDs is the folder of what all bundles share: what keeps their CRDs when they are pruned.
const KeptCRDs = "bundles/crds-kept"

// Catalog is everything that can be installed or built.
type Catalog struct {
	// FS is the tree it was read from.
	FS         fs.FS
	Backends   []*Backend
	Components []*Component
	Operators  []*Operator
}

// Load reads bundles/ and lab/ of a tree.
func Load(tree fs.FS) (*Catalog, error) {
	c := &Catalog{FS: tree}
	backends, err := folders(tree, "bundles")
	if err != nil {
		return nil, err
	}
	for _, dir := range backends {
		if dir == operatorsFolder {
			if c.Operators, err = loadOperators(tree); err != nil {
				return nil, err
			}
			continue
		}
		if dir == KeptCRDs {
			continue
		}
		b, err := loadBackend(tree, path.Join(dir, "backend.yaml"))
		if err != nil {
			return nil, err
		}
		c.Backends = append(c.Backends, b)
	}
	components, err := folders(tree, "lab")
	if err != nil {
		return nil, err
	}
	var versions []string
	for _, dir := range components {
		below, err := folders(tree, dir)
		if err != nil {
			return nil, err
		}
		versions = append(versions, below...)
	}
	for _, dir := range versions {
		f := path.Join(dir, "component.yaml")
		k := &Component{Path: path.Dir(f), Version: path.Base(path.Dir(f)), Name: path.Base(path.Dir(path.Dir(f)))}
		if err := decode(tree, f, "Component", k, &k.APIVersion, &k.Kind); err != nil {
			return nil, err
		}
		if err := errors.Join(checkVersion(f, k.Version), checkBuild(tree, f, &k.Spec.Build)); err != nil {
			return nil, err
		}
		for name := range k.Spec.Flags {
			if k.Spec.Build.Binaries[name] == "" {
				return nil, fmt.Errorf("%s: spec.flags: %q is not one of spec.build.binaries", f, name)
			}
		}
		c.Components = append(c.Components, k)
	}
	if len(c.Backends) == 0 {
		return nil, errors.New("catalog: no bundles/*/backend.yaml in this tree")
	}
	return c, c.checkPairs()
}

// folders lists the folders in a folder: each must be what it stands for.
func folders(tree fs.FS, dir string) ([]string, error) {
	found, err := fs.ReadDir(tree, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var all []string
	for _, d := range found {
		if d.IsDir() {
			all = append(all, path.Join(dir, d.Name()))
		}
	}
	return all, nil
}

// isVersion tells a version's folder from what versions share, such as base. A
// folder that only looks like a version must be one.
func isVersion(dir string) bool { return strings.ContainsAny(path.Base(dir)[:1], "v0123456789") }

func loadBackend(tree fs.FS, file string) (*Backend, error) {
	b := &Backend{}
	if err := decode(tree, file, "Backend", b, &b.APIVersion, &b.Kind); err != nil {
		return nil, err
	}
	dir := path.Dir(file)
	if b.Metadata.Name != path.Base(dir) {
		return nil, fmt.Errorf("%s: metadata.name: %q must be the folder's name, %q", file, b.Metadata.Name, path.Base(dir))
	}
	s := b.Spec
	for _, f := range []struct{ name, value string }{
		{"title", s.Title}, {"schedulerName", s.SchedulerName}, {"scheduler", s.Scheduler},
	} {
		if f.value == "" {
			return nil, fmt.Errorf("%s: spec.%s: must be set", file, f.name)
		}
	}
	if err := checkGang(file, "spec.gang", s.Gang); err != nil {
		return nil, err
	}
	if t := s.Timeout; t != nil && (t.Length.Duration <= 0 || t.Source == "") {
		return nil, fmt.Errorf("%s: spec.timeout: length %s must be above 0, and source be set", file, t.Length.Duration)
	}
	versions, err := folders(tree, dir)
	if err != nil {
		return nil, err
	}
	for _, v := range versions {
		if !isVersion(v) {
			b.Shared = append(b.Shared, v)
			continue
		}
		r, err := loadRelease(tree, path.Join(v, "release.yaml"), b)
		if err != nil {
			return nil, err
		}
		b.Releases = append(b.Releases, r)
		b.Releases = append(b.Releases, variants(r)...)
	}
	if len(b.Releases) == 0 {
		return nil, fmt.Errorf("%s: no version folder with a release.yaml beside it", file)
	}
	slices.SortStableFunc(b.Releases, func(x, y *Release) int { return CompareVersions(x.Version, y.Version) })
	return b, nil
}

func loadRelease(tree fs.FS, file string, b *Backend) (*Release, error) {
	r := &Release{Backend: b, Path: path.Dir(file), Version: path.Base(path.Dir(file))}
	if err := decode(tree, file, "Release", r, &r.APIVersion, &r.Kind); err != nil {
		return nil, err
	}
	if err := checkVersion(file, r.Version); err != nil {
		return nil, err
	}
	s := &r.Spec
	if err := checkBundle(tree, file, r, &s.Bundle); err != nil {
		return nil, err
	}
	if s.Gang != nil {
		if err := checkGang(file, "spec.gang", *s.Gang); err != nil {
			return nil, err
		}
	}
	for i, v := range s.Variants {
		if err := checkVariant(tree, file, i, r, v); err != nil {
			return nil, err
		}
	}
	return r, checkKustomization(tree, file, r.Path)
}

// variants are the release's, as releases.
func variants(r *Release) []*Release {
	var all []*Release
	for i := range r.Spec.Variants {
		v := *r
		v.Variant = &r.Spec.Variants[i]
		v.Version += "+" + v.Variant.Name
		all = append(all, &v)
	}
	return all
}

func checkVariant(tree fs.FS, file string, i int, r *Release, v Variant) error {
	at := fmt.Sprintf("spec.variants[%d]", i)
	if len(validation.IsDNS1123Label(v.Name)) > 0 || v.About == "" {
		return fmt.Errorf("%s: %s: name %q must be a DNS label, and about must be set", file, at, v.Name)
	}
	if slices.ContainsFunc(r.Spec.Variants[:i], func(o Variant) bool { return o.Name == v.Name }) {
		return fmt.Errorf("%s: %s.name: %q is the name of an earlier variant", file, at, v.Name)
	}
	if v.Gang != nil {
		if err := checkGang(file, at+".gang", *v.Gang); err != nil {
			return err
		}
	}
	return checkKustomization(tree, file, path.Join(r.Path, v.Overlay))
}

func checkKustomization(tree fs.FS, file, dir string) error {
	if _, err := fs.Stat(tree, dir+"/kustomization.yaml"); err != nil {
		return fmt.Errorf("%s: no kustomization.yaml in %s", file, dir)
	}
	return nil
}

// checkBundle checks what every release has.
func checkBundle(tree fs.FS, file string, name fmt.Stringer, s *Bundle) error {
	if _, err := semver.NewConstraint(s.Kubernetes.Range); err != nil {
		return fmt.Errorf("%s: spec.kubernetes.range: %q: %w", file, s.Kubernetes.Range, err)
	}
	if err := s.supports(name, s.Kubernetes.Lab); err != nil {
		return fmt.Errorf("%s: spec.kubernetes.lab: %w", file, err)
	}
	for i, u := range s.Upstream {
		at := fmt.Sprintf("%s: spec.upstream[%d]", file, i)
		if !strings.HasPrefix(u.URL, "https://") {
			return fmt.Errorf("%s.url: %q must begin with https://", at, u.URL)
		}
		if err := checkModule(at, u.Module); err != nil {
			return err
		}
		if u.Path == "" || len(u.SHA256) != 64 {
			return fmt.Errorf("%s: path must be set and sha256 must have 64 hex digits", at)
		}
	}
	binaries := map[string]bool{}
	for _, m := range s.modules("", path.Dir(file)) {
		if err := checkBuild(tree, file, &m.Build); err != nil {
			return err
		}
		for name := range m.Binaries {
			binaries[name] = true
		}
	}
	for i, p := range s.Processes {
		at := fmt.Sprintf("%s: spec.processes[%d]", file, i)
		if ns, name, ok := strings.Cut(p.Deployment, "/"); !ok || ns == "" || name == "" {
			return fmt.Errorf("%s.deployment: %q must be namespace/name", at, p.Deployment)
		}
		if !binaries[p.Binary] {
			return fmt.Errorf("%s.binary: %q is not one of spec.build.binaries", at, p.Binary)
		}
		if count(p.KubeconfigFlag != "", p.KubeconfigIn != nil, p.KubeconfigEnv != "") != 1 {
			return fmt.Errorf("%s: exactly one of kubeconfigFlag, kubeconfigIn and kubeconfigEnv must be set", at)
		}
		if in := p.KubeconfigIn; in != nil && (in.File == "" || in.Field == "") {
			return fmt.Errorf("%s.kubeconfigIn: file and field must be set", at)
		}
		if in := p.LeaderElectIn; in != nil && (in.File == "" || in.Field == "" || in.Value == "" || p.LeaderElectFlag != "") {
			return fmt.Errorf("%s.leaderElectIn: file, field and value must be set, and no leaderElectFlag", at)
		}
		for j, l := range p.Listen {
			how, in := l.Flag, l.In
			if in != nil {
				how = in.Value
			}
			if l.Port < 1 || l.Port > 65535 || !strings.Contains(how, "{port}") {
				return fmt.Errorf("%s.listen[%d]: port must be 1 to 65535 and flag, or in.value, must contain {port}", at, j)
			}
			if in != nil && (in.File == "" || in.Field == "" || l.Flag != "") {
				return fmt.Errorf("%s.listen[%d].in: file and field must be set, and no flag", at, j)
			}
		}
	}
	return nil
}

// count is how many hold.
func count(conditions ...bool) int {
	n := 0
	for _, c := range conditions {
		if c {
			n++
		}
	}
	return n
}

// CompareVersions orders two versions of the catalog.
func CompareVersions(x, y string) int { return semver.MustParse(x).Compare(semver.MustParse(y)) }

func decode(tree fs.FS, file, kind string, into any, gotVersion, gotKind *string) error {
	data, err := fs.ReadFile(tree, file)
	if err != nil {
		return err
	}
	if err := strict.YAML(file, data, into); err != nil {
		return err
	}
	if *gotVersion != apiVersion || *gotKind != kind {
		return fmt.Errorf("%s: apiVersion and kind must be %s %s, not %q %q", file, apiVersion, kind, *gotVersion, *gotKind)
	}
	return nil
}

func checkVersion(file, version string) error {
	if _, err := semver.StrictNewVersion(strings.TrimPrefix(version, "v")); err != nil || version[0] != 'v' {
		return fmt.Errorf("%s: the folder's name is the version and must look like v1.2.3, not %q", file, version)
	}
	return nil
}

func checkBuild(tree fs.FS, file string, b *Build) error {
	if len(b.Binaries) == 0 || b.DiskMiB <= 0 {
		return fmt.Errorf("%s: spec.build: binaries and diskMiB must be set", file)
	}
	for i, c := range b.Copies {
		if err := checkCopy(tree, fmt.Sprintf("%s: spec.build.copies[%d]", file, i), path.Dir(file)+"/build", c); err != nil {
			return err
		}
	}
	if b.Generate != "" && (!strings.HasPrefix(b.Generate, "./") || len(b.Copies) == 0) {
		return fmt.Errorf("%s: spec.build.generate: %q must be a package of the build module, ./name, and there must be copies to write into", file, b.Generate)
	}
	return nil
}

func checkCopy(tree fs.FS, at, dir string, c Copy) error {
	if err := checkModule(at, c.Module); err != nil {
		return err
	}
	below := func(p string) bool { return fs.ValidPath(p) && p != "." }
	if !below(c.To) {
		return fmt.Errorf("%s.to: %q must be a path below the build folder", at, c.To)
	}
	if c.Add == "" {
		return nil
	}
	if !below(c.Add) {
		return fmt.Errorf("%s.add: %q must be a path below the build folder", at, c.Add)
	}
	// An embedded tree has no build modules, and so nothing to add.
	if _, err := fs.Stat(tree, dir); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if i, err := fs.Stat(tree, path.Join(dir, c.Add)); err != nil || !i.IsDir() {
		return fmt.Errorf("%s.add: there is no folder %s", at, path.Join(dir, c.Add))
	}
	return nil
}

func checkModule(at, ref string) error {
	if m, v, ok := strings.Cut(ref, "@"); !ok || m == "" || v == "" {
		return fmt.Errorf("%s.module: %q must be path@version", at, ref)
	}
	return nil
}

func checkGang(file, field string, g Gang) error {
	j := g.Join
	for name, join := range map[string]*Join{"join": &j, "former": g.Former} {
		if join != nil && count(join.Annotation != "", join.Label != "", join.Field != "", join.Owner != nil) != 1 {
			return fmt.Errorf("%s: %s.%s: exactly one of annotation, label, field and owner must be set", file, field, name)
		}
	}
	if q := g.Queue; q != nil && (q.APIVersion == "" || q.Kind == "" || q.Resource == "" || q.WeightField == "" || g.Group == nil || g.Group.QueueField == "") {
		return fmt.Errorf("%s: %s.queue: apiVersion, kind, resource and weightField must be set, and group.queueField", file, field)
	}
	if o := j.Owner; o != nil && (o.APIVersion == "" || o.Kind == "" || o.Resource == "") {
		return fmt.Errorf("%s: %s.join.owner: apiVersion, kind and resource must be set", file, field)
	}
	if o := g.Job; o != nil && (o.APIVersion == "" || o.Kind == "" || o.Resource == "" || o.SchedulerField == "" ||
		o.MinField == "" || o.Roles == "" || o.Count == "" || o.Template == "" || g.Group == nil) {
		return fmt.Errorf("%s: %s.job: apiVersion, kind, resource, schedulerField, minField, roles, count and template must be set, and group", file, field)
	}
	if t := g.Topology; t != nil && (len(t.Fields) == 0 || g.Group == nil) {
		return fmt.Errorf("%s: %s.topology: fields must be set, and group", file, field)
	}
	if t := g.Topology; t != nil && t.Versions != "" {
		if _, err := semver.NewConstraint(t.Versions); err != nil {
			return fmt.Errorf("%s: %s.topology.versions: %q: %w", file, field, t.Versions, err)
		}
	}
	if (j.MinLabel == "") == (g.Group == nil) {
		return fmt.Errorf("%s: %s: the minimum must be in a group, or else in join.minLabel", file, field)
	}
	if o := g.Group; o != nil && (o.APIVersion == "" || o.Kind == "" || o.Resource == "" || o.MinField == "") {
		return fmt.Errorf("%s: %s.group: apiVersion, kind, resource and minField must be set", file, field)
	}
	return nil
}
