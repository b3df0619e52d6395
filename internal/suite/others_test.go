package suite

import (
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/scenario"
)

func TestLacks(t *testing.T) {
	runs := &catalog.Release{
		Backend: &catalog.Backend{Metadata: catalog.Metadata{Name: "b"}}, Version: "v1",
		Spec: catalog.ReleaseSpec{Bundle: catalog.Bundle{Processes: []catalog.Process{{}}}},
	}
	native := &catalog.Release{Backend: runs.Backend, Version: "v1"}
	webhook := &unstructured.Unstructured{Object: map[string]any{"kind": "ValidatingWebhookConfiguration"}}
	needs := func(n ...scenario.Need) *scenario.Scenario { return &scenario.Scenario{Spec: scenario.Spec{Needs: n}} }
	does := func(s scenario.Step) *scenario.Scenario {
		return &scenario.Scenario{Spec: scenario.Spec{Steps: []scenario.Step{{Repeat: &scenario.Repeat{Times: 1, Steps: []scenario.Step{s}}}}}}
	}
	previous := does(scenario.Step{Sync: &scenario.Sync{Bundle: scenario.PreviousBundle}})
	kill := does(scenario.Step{Kill: &scenario.Kill{Component: scenario.Webhooks}})
	tests := map[string]struct {
		suite    *Suite
		scenario *scenario.Scenario
		want     string
	}{
		"nothing":            {&Suite{Release: native}, needs(), ""},
		"kubelets":           {&Suite{Release: runs}, needs(scenario.NeedKubelet), "it needs real kubelets, which turn away what does not fit, and the lab has none"},
		"a part of it":       {&Suite{Release: native}, does(scenario.Step{Uninstall: &scenario.Uninstall{}}), "b@v1 runs nothing of its own: it is a part of Kubernetes"},
		"deployments":        {&Suite{Release: runs}, does(scenario.Step{Sync: &scenario.Sync{}}), ""},
		"no webhooks":        {&Suite{Release: runs}, kill, "b@v1 has no admission webhook"},
		"webhooks":           {&Suite{Release: runs, Objects: []*unstructured.Unstructured{webhook}}, kill, ""},
		"no release before":  {&Suite{Release: runs, Kubernetes: "v1.34.4"}, previous, "the catalog has no earlier release than b@v1 that Kubernetes v1.34.4 serves"},
		"one before":         {&Suite{Release: runs, Previous: &Previous{}}, previous, ""},
		"gangs can't be off": {&Suite{Release: runs}, does(scenario.Step{Sync: &scenario.Sync{Bundle: scenario.NoGangsBundle}}), "no manifest takes gang scheduling out of b@v1"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := test.suite.lacks(test.scenario); err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
