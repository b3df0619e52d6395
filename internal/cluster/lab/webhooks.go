package lab

import (
	"context"
	"errors"
	"slices"

	registrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// webhooks are the components behind the admission webhooks that there are.
func (l *Lab) webhooks(ctx context.Context) ([]string, error) {
	api := l.client.AdmissionregistrationV1()
	mutating, err := api.MutatingWebhookConfigurations().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	validating, err := api.ValidatingWebhookConfigurations().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var asked []*registrationv1.ServiceReference
	for _, c := range mutating.Items {
		for _, w := range c.Webhooks {
			asked = append(asked, w.ClientConfig.Service)
		}
	}
	for _, c := range validating.Items {
		for _, w := range c.Webhooks {
			asked = append(asked, w.ClientConfig.Service)
		}
	}
	var names []string
	for _, s := range asked {
		if s == nil {
			continue
		}
		if name := l.services[s.Namespace+"/"+s.Name]; name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, errors.New("no component is behind a webhook")
	}
	return names, nil
}
