// Package mutant reads what is broken on purpose (a backend without its gang plugin, a
// role without a rule, an operator without its flag), and says whether a run noticed.
package mutant

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/gangctl/gangctl/internal/access"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/strict"
	"github.com/gangctl/gangctl/internal/verdict"
)

// Mutant is a bundle that is broken on purpose. Its folder may hold a kustomize
// Component, which goes on top of the bundle.
type Mutant struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   Metadata `json:"metadata"`
	Spec       Spec     `json:"spec"`

	// Component is the folder, where it holds one; else "".
	Component string `json:"-"`
}

// Metadata names a mutant, as its folder does.
type Metadata struct {
	Name string `json:"name"`
}

// Spec is what is broken, and how that must show.
type Spec struct {
	// About says in a sentence what is broken.
	About string `json:"about"`
	// Backend and Operator are what it is broken in: name[@version].
	Backend  string `json:"backend"`
	Operator string `json:"operator,omitempty"`
	// Case is the case that must notice.
	Case string `json:"case"`
	// ControlPlane holds further flags of the lab's own components, by component: they
	// break what no manifest sets.
	ControlPlane map[string][]string `json:"controlPlane,omitempty"`
	// NoFields takes from jobs what makes gangs of them, where an operator leaves that
	// to jobs.
	NoFields bool `json:"noFields,omitempty"`
	// Steps are put into the case, or in the place of its own: what goes wrong meanwhile.
	Steps []Step `json:"steps,omitempty"`
	// Noticed is how it must show.
	Noticed Noticed `json:"noticed"`
}

// Step is a step of a case that breaks something.
type Step struct {
	// Before is the place of the case's step that it comes before, counted from 1; Instead is
	// that of the one that it replaces. One of them is set.
	Before  int           `json:"before,omitempty"`
	Instead int           `json:"instead,omitempty"`
	Step    scenario.Step `json:"step"`
}

// Noticed is what must be seen: exactly one of these.
type Noticed struct {
	// Property must be violated.
	Property scenario.Property `json:"property,omitempty"`
	// Unmet must be an expectation that the run does not meet, by a part of its text.
	Unmet string `json:"unmet,omitempty"`
	// Forbidden must be refused to a ServiceAccount: "create pods/binding".
	Forbidden string `json:"forbidden,omitempty"`
	// Error must be in the error that refuses the bundle before anything is run.
	Error string `json:"error,omitempty"`
}

// Load reads the mutants below a folder, by name.
func Load(tree fs.FS, dir string) ([]*Mutant, error) {
	files, err := fs.Glob(tree, dir+"/*/mutant.yaml")
	if err != nil {
		return nil, err
	}
	var all []*Mutant
	for _, f := range files {
		data, err := fs.ReadFile(tree, f)
		if err != nil {
			return nil, err
		}
		m := &Mutant{}
		if err := strict.YAML(f, data, m); err != nil {
			return nil, err
		}
		if err := m.validate(path.Base(path.Dir(f))); err != nil {
			return nil, fmt.Errorf("%s: %w", f, err)
		}
		if _, err := fs.Stat(tree, path.Dir(f)+"/kustomization.yaml"); err == nil {
			m.Component = path.Dir(f)
		}
		all = append(all, m)
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("%s: no mutant below this folder", dir)
	}
	return all, nil
}

func (m *Mutant) validate(folder string) error {
	s := m.Spec
	n := s.Noticed
	ways := slices.DeleteFunc([]string{string(n.Property), n.Unmet, n.Forbidden, n.Error}, func(w string) bool { return w == "" })
	switch {
	case m.APIVersion != "gangctl.dev/v1alpha1" || m.Kind != "Mutant":
		return fmt.Errorf("apiVersion, kind: %s %s must be gangctl.dev/v1alpha1 Mutant", m.APIVersion, m.Kind)
	case m.Metadata.Name != folder:
		return fmt.Errorf("metadata.name: %q must be the folder's name, %q", m.Metadata.Name, folder)
	case s.About == "" || s.Backend == "" || s.Case == "":
		return fmt.Errorf("spec: about %q, backend %q and case %q must be set", s.About, s.Backend, s.Case)
	case len(ways) != 1:
		return fmt.Errorf("spec.noticed: exactly one of property, unmet, forbidden and error must be set, not %q", ways)
	}
	for i, s := range s.Steps {
		if (s.Before > 0) == (s.Instead > 0) || s.Before < 0 || s.Instead < 0 {
			return fmt.Errorf("spec.steps[%d]: exactly one of before, %d, and instead, %d, must be set", i, s.Before, s.Instead)
		}
	}
	return nil
}

// Case is the case with the mutant's steps in it.
func (m *Mutant) Case(c *scenario.Scenario) (*scenario.Scenario, error) {
	if len(m.Spec.Steps) == 0 {
		return c, nil
	}
	broken := *c
	broken.Spec.Steps = nil
	for i, own := range c.Spec.Steps {
		kept := true
		for _, s := range m.Spec.Steps {
			if s.Before == i+1 || s.Instead == i+1 {
				broken.Spec.Steps = append(broken.Spec.Steps, s.Step)
			}
			kept = kept && s.Instead != i+1
		}
		if kept {
			broken.Spec.Steps = append(broken.Spec.Steps, own)
		}
	}
	// What comes of it must be a case as any other.
	text, err := yaml.Marshal(&broken)
	if err == nil {
		_, err = scenario.Decode(c.Metadata.Name+".yaml", text)
	}
	if err != nil {
		return nil, fmt.Errorf("mutant %s: spec.steps: %w", m.Metadata.Name, err)
	}
	return &broken, nil
}

// String names the mutant and what it is one of.
func (m *Mutant) String() string {
	of := m.Spec.Backend
	if m.Spec.Operator != "" {
		of = m.Spec.Operator + " on " + of
	}
	return m.Metadata.Name + " (" + of + ")"
}

// Refused says how an error shows the mutant; "" where it doesn't.
func (n Noticed) Refused(err error) string {
	if n.Error != "" && err != nil && strings.Contains(err.Error(), n.Error) {
		return err.Error()
	}
	return ""
}

// Shown says how a run shows the mutant; "" where it doesn't. The control must have
// shown what it is there for, or the run says nothing.
func (n Noticed) Shown(v *verdict.Verdict, asked []access.Request) string {
	for _, r := range asked {
		if r.Refused > 0 && n.Forbidden == r.Verb+" "+r.Qualified() {
			return fmt.Sprintf("%s is forbidden to %s (%d times)", n.Forbidden, r.User, r.Refused)
		}
	}
	if v.Outcome != verdict.Fail || !v.ControlHeld() {
		return ""
	}
	for _, x := range v.Subject.Violations {
		if x.Property == n.Property {
			return fmt.Sprintf("%s: %s", x.Property, x.Detail)
		}
	}
	for _, e := range v.Subject.Expectations {
		if n.Unmet != "" && !e.Met && strings.Contains(e.Text, n.Unmet) {
			return fmt.Sprintf("step %d: %s: %s", e.Step, e.Text, e.Why)
		}
	}
	return ""
}
