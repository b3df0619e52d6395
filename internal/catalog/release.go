package catalog

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/Masterminds/semver/v3"
)

// String is backend@version, with +variant behind it for one.
func (r *Release) String() string { return r.Backend.Metadata.Name + "@" + r.Version }

// Folder holds the kustomization to apply.
func (r *Release) Folder() string {
	if r.Variant != nil {
		return path.Join(r.Path, r.Variant.Overlay)
	}
	return r.Path
}

// SchedulerName is what the members of a gang carry.
func (r *Release) SchedulerName() string {
	if r.Variant != nil && r.Variant.SchedulerName != "" {
		return r.Variant.SchedulerName
	}
	return r.Backend.Spec.SchedulerName
}

// variant is the variant's name; "" for the release itself.
func (r *Release) variant() string {
	if r.Variant == nil {
		return ""
	}
	return r.Variant.Name
}

// Replaces is the component of the lab whose place this takes; "" is none.
func (r *Release) Replaces() string {
	if r.Variant == nil {
		return ""
	}
	return r.Variant.Replaces
}

// Gang is the release's way to write a gang down.
func (r *Release) Gang() Gang {
	switch {
	case r.Variant != nil && r.Variant.Gang != nil:
		return *r.Variant.Gang
	case r.Spec.Gang != nil:
		return *r.Spec.Gang
	}
	g := r.Backend.Spec.Gang
	if t := g.Topology; t != nil && t.Versions != "" && !within(t.Versions, r.Version) {
		g.Topology = nil
	}
	return g
}

// within says whether a version is in a range that was checked when it was read. What is
// behind a + makes no difference.
func within(versions, version string) bool {
	in, err := semver.NewConstraint(versions)
	return err == nil && in.Check(semver.MustParse(version))
}

// Modules are what the release's binaries are built from. Variants of a release share
// them.
func (r *Release) Modules() []Module {
	version, _, _ := strings.Cut(r.Version, "+")
	return r.Spec.modules(r.Backend.Metadata.Name+"@"+version, r.Path)
}

// Supports reports whether the release's range holds a Kubernetes version.
func (r *Release) Supports(kubernetes string) error { return r.Spec.supports(r, kubernetes) }

// Previous is the newest earlier release of the backend, or of the same variant, that a
// Kubernetes version serves, too; nil is none.
func (r *Release) Previous(kubernetes string) *Release {
	var found *Release
	for _, o := range r.Backend.Releases { // the oldest first
		if CompareVersions(o.Version, r.Version) < 0 && o.variant() == r.variant() && o.Supports(kubernetes) == nil {
			found = o
		}
	}
	return found
}

func (b *Bundle) modules(name, dir string) []Module {
	var all []Module
	if b.Build != nil {
		all = append(all, Module{Name: name, Path: dir + "/build", Build: *b.Build})
	}
	for _, part := range slices.Sorted(maps.Keys(b.Parts)) {
		all = append(all, Module{Name: name + "-" + part, Path: path.Join(dir, part, "build"), Build: b.Parts[part]})
	}
	return all
}

func (b *Bundle) supports(name fmt.Stringer, kubernetes string) error {
	in, err := InRange(b.Kubernetes.Range, kubernetes)
	if err == nil && !in {
		err = fmt.Errorf("%s supports Kubernetes %s (%s), not %s", name, b.Kubernetes.Range, b.Kubernetes.Source, kubernetes)
	}
	return err
}

// InRange says whether a semver range holds a version of Kubernetes, whatever its vendor has
// added to it.
func InRange(versions, kubernetes string) (bool, error) {
	in, err := semver.NewConstraint(versions)
	if err != nil {
		return false, err
	}
	v, err := semver.NewVersion(kubernetes)
	if err != nil {
		return false, fmt.Errorf("kubernetes version %q: %w", kubernetes, err)
	}
	return in.Check(plain(v)), nil
}

// plain takes a vendor's suffix away (v1.34.4-eks-113cf36), which semver would read
// as a pre-release, and leaves a real one.
func plain(v *semver.Version) *semver.Version {
	for _, before := range []string{"alpha", "beta", "rc"} {
		if strings.HasPrefix(v.Prerelease(), before) {
			return v
		}
	}
	return semver.New(v.Major(), v.Minor(), v.Patch(), "", "")
}
