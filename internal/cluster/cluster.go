// Package cluster is where a case runs.
package cluster

import (
	"context"
	"fmt"

	"k8s.io/client-go/rest"

	"github.com/gangctl/gangctl/internal/access"
	"github.com/gangctl/gangctl/internal/timeline"
)

// Cluster is a place to run one case in.
type Cluster interface {
	// Config reaches the API server as an administrator.
	Config() *rest.Config
	// Watch reports every component that starts, stops or exits, what was before included.
	Watch(func(timeline.Component))
	Installation
	// Stop ends a component at once, on purpose. "scheduler" is the backend's, and
	// "webhooks" are those behind admission webhooks; an error where there are none.
	Stop(ctx context.Context, component string) error
	// Pause halts a component that goes on running, on purpose.
	Pause(ctx context.Context, component string) error
	// Resume lets a paused component go on.
	Resume(ctx context.Context, component string) error
	// Start starts a stopped component again.
	Start(ctx context.Context, component string) error
	// Requests lists what service accounts asked the API server for, up to now.
	Requests() ([]access.Request, error)
	// Down ends the cluster and leaves nothing behind.
	Down() error
}

// Installation is what an administrator, or a GitOps controller, does to the backend's.
type Installation interface {
	// Sync applies a bundle as a GitOps controller does: scenario.Sync says which. What
	// could not be applied is in what it returns, and is no error.
	Sync(ctx context.Context, bundle string) (*timeline.Sync, error)
	// Uninstall deletes what the bundle holds, and waits a while until it is gone. What does
	// not go is in what it returns, and is no error.
	Uninstall(ctx context.Context) (*timeline.Sync, error)
	// Enforce makes the bundle's namespaces enforce a Pod Security level, and returns what
	// the API server answers to the pods of its Deployments, where it refuses them. Bare
	// pods are without their security contexts.
	Enforce(ctx context.Context, level string, bare bool) ([]timeline.Refused, error)
	// Break spoils a part of the installation, one of scenario.Break's.
	Break(ctx context.Context, part string) error
}

// Provider is a kind of cluster.
type Provider string

// The providers.
const (
	// Lab is the embedded one: real control plane and schedulers as local processes.
	Lab Provider = "lab"
	// Kind and Existing are reserved.
	Kind     Provider = "kind"
	Existing Provider = "existing"
)

// ParseProvider checks a provider's name.
func ParseProvider(name string) (Provider, error) {
	switch p := Provider(name); p {
	case Lab:
		return p, nil
	case Kind, Existing:
		return "", fmt.Errorf("provider %q: not supported yet; use %s, which needs no cluster", name, Lab)
	}
	return "", fmt.Errorf("unknown provider %q (there is: %s)", name, Lab)
}
