package catalog

import (
	"fmt"
	"slices"
	"strings"
)

// Release finds "backend" (its newest version) or "backend@version". An unknown
// name is an error that offers the nearest one.
func (c *Catalog) Release(ref string) (*Release, error) {
	name, version, pinned := strings.Cut(ref, "@")
	var names []string
	for _, b := range c.Backends {
		names = append(names, b.Metadata.Name)
		if b.Metadata.Name != name {
			continue
		}
		if !pinned {
			return b.newest(), nil
		}
		var versions []string
		for _, r := range b.Releases {
			if r.Version == version {
				return r, nil
			}
			versions = append(versions, r.Version)
		}
		return nil, Unknown("version of "+name, version, versions)
	}
	return nil, Unknown("backend", name, names)
}

// newest is the last version, itself and not a variant of it.
func (b *Backend) newest() *Release {
	for _, r := range slices.Backward(b.Releases) {
		if r.Variant == nil {
			return r
		}
	}
	return nil
}

// Component finds a component of the lab by name and version.
func (c *Catalog) Component(name, version string) (*Component, error) {
	var names, versions []string
	for _, k := range c.Components {
		names = append(names, k.Name)
		if k.Name != name {
			continue
		}
		if k.Version == version {
			return k, nil
		}
		versions = append(versions, k.Version)
	}
	if len(versions) == 0 {
		return nil, Unknown("component", name, names)
	}
	return nil, Unknown("version of "+name, version, versions)
}

// Newest returns the last version of a component of the lab.
func (c *Catalog) Newest(name string) (*Component, error) {
	var found *Component
	for _, k := range c.Components {
		if k.Name == name && (found == nil || CompareVersions(k.Version, found.Version) > 0) {
			found = k
		}
	}
	if found == nil {
		return nil, fmt.Errorf("catalog: no lab/%s/*/component.yaml", name)
	}
	return found, nil
}

// Unknown is the error for a name that is not there: it offers the nearest one
// and lists what there is.
func Unknown(what, got string, have []string) error {
	slices.Sort(have)
	have = slices.Compact(have)
	best, distance := "", len(got)/2+2
	for _, h := range have {
		if d := editDistance(got, h); d < distance {
			best, distance = h, d
		}
	}
	if best != "" {
		return fmt.Errorf("unknown %s %q: did you mean %q? (there are: %s)", what, got, best, strings.Join(have, ", "))
	}
	return fmt.Errorf("unknown %s %q (there are: %s)", what, got, strings.Join(have, ", "))
}

// editDistance is Levenshtein's.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := 1
			if a[i] == b[j] {
				cost = 0
			}
			diagonal, row[j+1] = row[j+1], min(row[j]+1, row[j+1]+1, diagonal+cost)
		}
	}
	return row[len(b)]
}
