package catalog

import (
	"strings"
	"testing"
	"testing/fstest"
)

func TestLifecycle(t *testing.T) {
	const head = "apiVersion: gangctl.dev/v1alpha1\nkind: JobLifecycle\n"
	tests := map[string]struct {
		text, field string
		err         string // a part of it; "" is none
	}{
		"none":             {},
		"suspend":          {text: head + "spec: {suspendField: spec.suspend}\n", field: "spec.suspend"},
		"unknown field":    {text: head + "spec: {pauseField: spec.suspend}\n", err: "pauseField"},
		"without runtimes": {text: head + "spec: {entryGiveUp: {backoffLimit: 0}}\n", err: "spec.entryGiveUp: a TFJob has no runtime"},
		"another kind":     {text: "apiVersion: gangctl.dev/v1alpha1\nkind: Operator\nspec: {}\n", err: "must be gangctl.dev/v1alpha1 JobLifecycle"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tree := toyOperator()
			if test.text != "" {
				tree["bundles/operators/jobs/lifecycle.yaml"] = &fstest.MapFile{Data: []byte(test.text)}
			}
			c, err := Load(tree)
			if test.err != "" {
				if err == nil || !strings.Contains(err.Error(), test.err) {
					t.Errorf("got error %v, want one with %q", err, test.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			for _, j := range c.Operators[0].Spec.Jobs {
				if j.Lifecycle.SuspendField != test.field {
					t.Errorf("%s: suspended by %q, want %q", j.Kind, j.Lifecycle.SuspendField, test.field)
				}
			}
		})
	}
}
