package lab

import (
	"context"
	"errors"
	"slices"
	"syscall"

	registrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/scenario"
)

// Stop kills a component on purpose.
func (l *Lab) Stop(ctx context.Context, component string) error {
	return l.each(ctx, component, func(p *process) error {
		p.stop()
		return nil
	})
}

// Pause halts a component on purpose.
func (l *Lab) Pause(ctx context.Context, component string) error {
	return l.each(ctx, component, func(p *process) error { return p.signal(syscall.SIGSTOP) })
}

// Resume lets a paused component go on.
func (l *Lab) Resume(ctx context.Context, component string) error {
	return l.each(ctx, component, func(p *process) error { return p.signal(syscall.SIGCONT) })
}

// Start starts a stopped component again.
func (l *Lab) Start(ctx context.Context, component string) error {
	return l.each(ctx, component, func(p *process) error { return p.start(ctx) })
}

// each does something to a component, or to all that the name stands for.
func (l *Lab) each(ctx context.Context, component string, do func(*process) error) error {
	names := []string{component}
	if component == scenario.Webhooks {
		var err error
		if names, err = l.webhooks(ctx); err != nil {
			return err
		}
	}
	for _, name := range names {
		p, err := l.find(name)
		if err == nil {
			err = do(p)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *Lab) find(component string) (*process, error) {
	if component == "scheduler" {
		component = "kube-scheduler"
		if b := l.opts.Bundle; b != nil && b.Scheduler != "" { // an earlier release's has the same name
			component = b.Scheduler
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	var names []string
	for _, p := range l.processes {
		if p.name == component {
			return p, nil
		}
		names = append(names, p.name)
	}
	return nil, catalog.Unknown("component", component, names)
}

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
