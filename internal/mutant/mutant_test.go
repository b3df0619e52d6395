package mutant

import (
	"errors"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gangctl/gangctl/internal/access"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/verdict"
)

func TestShippedMutantsLoad(t *testing.T) {
	if _, err := Load(os.DirFS("../.."), "conformance/mutants"); err != nil {
		t.Error(err)
	}
}

func TestLoadErrors(t *testing.T) {
	head := "apiVersion: gangctl.dev/v1alpha1\nkind: Mutant\nmetadata: {name: broken}\n"
	for name, test := range map[string]struct{ text, want string }{
		"another kind": {"apiVersion: v1\nkind: Pod\nmetadata: {name: broken}\n", "apiVersion, kind: v1 Pod must be gangctl.dev/v1alpha1 Mutant"},
		"another name": {strings.Replace(head, "broken", "other", 1), `metadata.name: "other" must be the folder's name, "broken"`},
		"no case":      {head + "spec: {about: All., backend: volcano}\n", `spec: about "All.", backend "volcano" and case "" must be set`},
		"no way":       {head + "spec: {about: All., backend: volcano, case: c}\n", `spec.noticed: exactly one of property, unmet, forbidden and error must be set, not []`},
		"two ways": {head + "spec: {about: All., backend: volcano, case: c, noticed: {property: membership, error: refused}}\n",
			`spec.noticed: exactly one of property, unmet, forbidden and error must be set, not ["membership" "refused"]`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Load(fstest.MapFS{"mutants/broken/mutant.yaml": {Data: []byte(test.text)}}, "mutants")
			if want := "mutants/broken/mutant.yaml: " + test.want; err == nil || err.Error() != want {
				t.Errorf("got error  %v\nwant error %s", err, want)
			}
		})
	}
	if all, err := Load(fstest.MapFS{}, "mutants"); err == nil {
		t.Errorf("a folder without mutants gives %v, want an error", all)
	}
}

func TestNoticed(t *testing.T) {
	failed := &verdict.Verdict{Outcome: verdict.Fail, Control: &verdict.Run{}, Subject: verdict.Run{
		Violations: []verdict.Violation{{Property: scenario.AllOrNothing, Detail: "train was partly bound"}},
		Expectations: []verdict.Expectation{
			{Step: 2, Text: "train: none bound", Met: true},
			{Step: 5, Text: "train: all bound within 30s", Why: "none is bound"},
		},
	}}
	// Its control proves nothing, whatever its subject showed.
	open := &verdict.Verdict{Outcome: verdict.Inconclusive, Subject: failed.Subject}
	unproven := &verdict.Verdict{Outcome: verdict.Fail, Control: &verdict.Run{}, ControlReason: "the lab did not start", Subject: failed.Subject}
	asked := []access.Request{
		{User: "scheduler", Verb: "create", Resource: "pods/binding", Count: 3, Refused: 3},
		{User: "scheduler", Verb: "list", Resource: "pods", Count: 3},
	}
	for name, test := range map[string]struct {
		noticed Noticed
		verdict *verdict.Verdict
		want    string
	}{
		"property":              {Noticed{Property: scenario.AllOrNothing}, failed, "all-or-nothing: train was partly bound"},
		"another property":      {Noticed{Property: scenario.Membership}, failed, ""},
		"inconclusive":          {Noticed{Property: scenario.AllOrNothing}, open, ""},
		"unproven":              {Noticed{Property: scenario.AllOrNothing}, unproven, ""},
		"unmet":                 {Noticed{Unmet: "all bound"}, failed, "step 5: train: all bound within 30s: none is bound"},
		"met":                   {Noticed{Unmet: "none bound"}, failed, ""},
		"forbidden":             {Noticed{Forbidden: "create pods/binding"}, open, "create pods/binding is forbidden to scheduler (3 times)"},
		"allowed":               {Noticed{Forbidden: "list pods"}, failed, ""},
		"an error in its place": {Noticed{Error: "no such scheduler"}, failed, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := test.noticed.Shown(test.verdict, asked); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
	refusal := errors.New("deployment d: no such scheduler")
	if got := (Noticed{Error: "no such scheduler"}).Refused(refusal); got != refusal.Error() {
		t.Errorf("got %q, want the error", got)
	}
	if got := (Noticed{Error: "no such scheduler"}).Refused(errors.New("disk full")); got != "" {
		t.Errorf("got %q for another error, want nothing", got)
	}
	if got := (Noticed{Property: scenario.Membership}).Refused(refusal); got != "" {
		t.Errorf("got %q where a run was to show it, want nothing", got)
	}
}
