package suite

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/cluster/lab"
	"github.com/gangctl/gangctl/internal/scenario"
)

// Previous is an earlier release, ready to be installed in the release's place.
type Previous struct {
	Release  *catalog.Release
	Objects  []*unstructured.Unstructured
	Binaries map[string]string
}

// others are the bundles that a case may sync in the place of the release's own.
func (s *Suite) others(own *lab.Bundle) map[string]*lab.Bundle {
	all := map[string]*lab.Bundle{}
	if s.NoGangs != nil {
		b := *own
		b.Name, b.Objects = own.Name+" without gangs", s.NoGangs
		all[scenario.NoGangsBundle] = &b
	}
	if p := s.Previous; p != nil {
		way := p.Release.Gang()
		all[scenario.PreviousBundle] = &lab.Bundle{
			Name: p.Release.String(), Objects: p.Objects, CertManager: s.CertManager, Processes: p.Release.Spec.Processes,
			Binaries: p.Binaries, Gang: &way, Scheduler: p.Release.Backend.Spec.Scheduler,
		}
	}
	return all
}

// lacks says what a case needs that is not there; nil is nothing.
func (s *Suite) lacks(c *scenario.Scenario) error {
	for _, need := range c.Needs() {
		switch need {
		case scenario.NeedKubelet:
			return errors.New("it needs real kubelets, which turn away what does not fit, and the lab has none")
		case scenario.NeedDeployments:
			if len(s.Release.Spec.Processes) == 0 {
				return fmt.Errorf("%s runs nothing of its own: it is a part of Kubernetes", s.Release)
			}
		case scenario.NeedWebhooks:
			if !slices.ContainsFunc(s.Objects, isWebhook) {
				return fmt.Errorf("%s has no admission webhook", s)
			}
		case scenario.NeedPrevious:
			if s.Previous == nil {
				return fmt.Errorf("the catalog has no earlier release than %s that Kubernetes %s serves", s, s.Kubernetes)
			}
		case scenario.NeedNoGangs:
			if s.NoGangs == nil {
				return fmt.Errorf("no manifest takes gang scheduling out of %s", s)
			}
		}
	}
	return c.RunsOn(s.Kubernetes)
}

func isWebhook(o *unstructured.Unstructured) bool {
	return o.GetKind() == "ValidatingWebhookConfiguration" || o.GetKind() == "MutatingWebhookConfiguration"
}
