package mutant

import (
	"os"
	"strings"
	"testing"

	"github.com/gangctl/gangctl/internal/scenario"
)

// ops are the operations of a case's steps, in their order.
func ops(s *scenario.Scenario) string {
	var all []string
	for i := range s.Spec.Steps {
		name, _ := s.Spec.Steps[i].Op()
		all = append(all, name)
	}
	return strings.Join(all, " ")
}

func TestStepsGoIntoTheCase(t *testing.T) {
	tree := os.DirFS("../..")
	cases, err := scenario.Load(tree, "conformance/cases")
	if err != nil {
		t.Fatal(err)
	}
	c := cases[0]
	for _, other := range cases {
		if other.Metadata.Name == "all-running-on-capacity" {
			c = other
		}
	}
	pause := scenario.Step{Pause: &scenario.Pause{Component: "scheduler"}}
	for name, test := range map[string]struct {
		steps []Step
		want  string
	}{
		"none":    {nil, "nodes submit expect"},
		"before":  {[]Step{{Before: 2, Step: pause}}, "nodes pause submit expect"},
		"instead": {[]Step{{Instead: 1, Step: pause}}, "pause submit expect"},
		"both":    {[]Step{{Before: 3, Step: pause}, {Instead: 1, Step: pause}}, "pause submit pause expect"},
	} {
		m := &Mutant{Spec: Spec{Steps: test.steps}}
		got, err := m.Case(c)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if ops(got) != test.want {
			t.Errorf("%s: got %s, want %s", name, ops(got), test.want)
		}
	}
	if got := ops(c); got != "nodes submit expect" {
		t.Errorf("the case itself is changed: %s", got)
	}
	bad := &Mutant{Metadata: Metadata{Name: "bad"}, Spec: Spec{Steps: []Step{{Before: 1, Step: scenario.Step{Delete: &scenario.Delete{Gang: "nobody"}}}}}}
	if _, err := bad.Case(c); err == nil || !strings.Contains(err.Error(), `mutant bad: spec.steps: `) || !strings.Contains(err.Error(), `no step submits "nobody"`) {
		t.Errorf("got %v", err)
	}
}

// Every mutant is of a case that is there, and its steps fit that.
func TestMutantsFitTheirCases(t *testing.T) {
	tree := os.DirFS("../..")
	cases, err := scenario.Load(tree, "conformance/cases")
	if err != nil {
		t.Fatal(err)
	}
	all, err := Load(tree, "conformance/mutants")
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*scenario.Scenario{}
	for _, c := range cases {
		byName[c.Metadata.Name] = c
	}
	for _, m := range all {
		c := byName[m.Spec.Case]
		if c == nil {
			t.Errorf("%s: spec.case: there is no case %q", m.Metadata.Name, m.Spec.Case)
			continue
		}
		if _, err := m.Case(c); err != nil {
			t.Error(err)
		}
	}
}
