package lab

import (
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/install"
	"github.com/gangctl/gangctl/internal/scenario"
)

// infraNode is where the pods of the bundle's own Deployments go, so that they
// take no room from a case. It is closed once they are there.
const infraNode = "lab-infra"

// split parts the kinds that a bundle brings from its other objects.
func (b *Bundle) split() (kinds, others []*unstructured.Unstructured) {
	if b == nil {
		return nil, nil
	}
	for _, o := range slices.Concat(b.CertManager, b.Objects) {
		if o.GetKind() == "CustomResourceDefinition" {
			kinds = append(kinds, o)
		} else {
			others = append(others, o)
		}
	}
	return kinds, others
}

// install applies the bundle's objects but the kinds, which are there, and runs its
// processes, in the bundle's order, while the cluster brings up the same Deployments on
// a fake node.
func (l *Lab) install(ctx context.Context, in *install.Installer, b *Bundle, objects []*unstructured.Unstructured) error {
	if len(b.Processes) > 0 {
		if err := l.createInfraNode(ctx); err != nil {
			return err
		}
	}
	if err := in.Apply(ctx, objects); err != nil {
		return err
	}
	if err := l.issueCertificates(ctx, b.Objects); err != nil {
		return err
	}
	l.installed = b
	for _, p := range b.Processes {
		if err := l.runDeployment(ctx, b, p); err != nil {
			return fmt.Errorf("deployment %s: %w", p.Deployment, err)
		}
	}
	if err := l.awaitAccepted(ctx, b); err != nil {
		return err
	}
	if len(b.Processes) == 0 {
		return nil
	}
	if err := l.awaitDeployments(ctx, b.Processes); err != nil {
		return err
	}
	return l.closeInfraNode(ctx)
}

func (l *Lab) installer() (*install.Installer, error) {
	d, err := discovery.NewDiscoveryClientForConfig(l.cp.admin)
	if err != nil {
		return nil, err
	}
	return install.New(l.Admin(), restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(d)))
}

// admitVerifier makes the ServiceAccount that the cases run as. A cluster gives it the
// same roles, from rbac/.
func (l *Lab) admitVerifier(ctx context.Context) error {
	in, err := l.installer()
	if err != nil {
		return err
	}
	if err := in.Apply(ctx, l.opts.Verifier); err != nil {
		return fmt.Errorf("install the verifier's roles: %w", err)
	}
	token, err := l.token(ctx, VerifierNamespace, VerifierAccount)
	if err != nil {
		return err
	}
	l.verifier = rest.AnonymousClientConfig(l.cp.admin)
	l.verifier.BearerToken = token
	return l.awaitAllowed(ctx)
}

// awaitAllowed waits until the verifier may do what its roles say. The API server's
// authorizer learns of a role some time after it is stored, and when can't be watched:
// so this asks, for one rule of each role, since a role arrives whole.
func (l *Lab) awaitAllowed(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for _, u := range l.opts.Verifier {
		if u.GetKind() != "ClusterRole" {
			continue
		}
		var role rbacv1.ClusterRole
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &role); err != nil {
			return err
		}
		rule := role.Rules[0]
		review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{
			User: fmt.Sprintf("system:serviceaccount:%s:%s", VerifierNamespace, VerifierAccount),
			ResourceAttributes: &authorizationv1.ResourceAttributes{
				Verb: rule.Verbs[0], Group: rule.APIGroups[0], Resource: rule.Resources[0],
			},
		}}
		for {
			answer, err := l.client.AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
			if err != nil {
				return err
			}
			if answer.Status.Allowed {
				break
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				return fmt.Errorf("ClusterRole %s is not in force: %w", role.Name, ctx.Err())
			}
		}
	}
	return nil
}

// The ServiceAccount that rbac/verifier makes.
const (
	VerifierNamespace = "gangctl"
	VerifierAccount   = "gangctl-verify"
)

// awaitAccepted waits until a gang's group, and a job where an operator serves one, is
// accepted. A webhook that listens may not serve yet, or may not have seen what the
// backend makes for itself at its start, such as a queue. Neither can be watched from
// here: so this asks.
func (l *Lab) awaitAccepted(ctx context.Context, b *Bundle) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	w := gang.Writer{Namespace: metav1.NamespaceDefault, Gang: b.Gang, Job: b.Job}
	s := &scenario.Submit{Roles: []scenario.Role{{Name: "worker", Count: 2}}}
	const name = "gangctl-ready"
	if group := w.Group(s, name); group != nil {
		if err := l.ask(ctx, b.Gang.Group.ObjectKind, group); err != nil {
			return err
		}
	}
	if b.Job == nil {
		return nil
	}
	// A job that names a runtime would be asked for it, and a dry run leaves none.
	if runtime := w.RuntimeObject(s, name); runtime != nil {
		return l.ask(ctx, b.Job.Runtime.ObjectKind, runtime)
	}
	job, err := w.JobObject(s, name)
	if err != nil {
		return err
	}
	return l.ask(ctx, b.Job.ObjectKind, job)
}

// ask creates an object in a dry run until it is accepted.
func (l *Lab) ask(ctx context.Context, kind catalog.ObjectKind, u *unstructured.Unstructured) error {
	client, err := dynamic.NewForConfig(l.cp.admin)
	if err != nil {
		return err
	}
	c := client.Resource(kind.GVR()).Namespace(u.GetNamespace())
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		_, err := c.Create(ctx, u, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
		if err == nil {
			return nil
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return fmt.Errorf("no %s is accepted: %w", kind.Kind, err)
		}
	}
}

func (l *Lab) createInfraNode(ctx context.Context) error {
	room := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse("64"), corev1.ResourceMemory: resource.MustParse("256Gi"), corev1.ResourcePods: resource.MustParse("110"),
	}
	_, err := l.client.CoreV1().Nodes().Create(ctx, &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: infraNode, Labels: managed},
		Status:     corev1.NodeStatus{Allocatable: room, Capacity: room},
	}, metav1.CreateOptions{})
	return err
}

// awaitDeployments waits until the cluster, too, has each Deployment available.
func (l *Lab) awaitDeployments(ctx context.Context, processes []catalog.Process) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	waiting := map[string]bool{}
	for _, p := range processes {
		waiting[p.Deployment] = true
	}
	c := l.client.AppsV1().Deployments("")
	lw := &cache.ListWatch{
		ListWithContextFunc: func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
			return c.List(ctx, o)
		},
		WatchFuncWithContext: c.Watch,
	}
	_, err := watchtools.UntilWithSync(ctx, lw, &appsv1.Deployment{}, nil, func(e watch.Event) (bool, error) {
		if d, ok := e.Object.(*appsv1.Deployment); ok && d.Status.AvailableReplicas > 0 {
			delete(waiting, d.Namespace+"/"+d.Name)
		}
		return len(waiting) == 0, nil
	})
	if err != nil {
		return fmt.Errorf("wait for deployments %v: %w", waiting, err)
	}
	return nil
}

func (l *Lab) closeInfraNode(ctx context.Context) error {
	taint := []byte(`{"spec":{"taints":[{"key":"gangctl.dev/infra","effect":"NoSchedule"}]}}`)
	_, err := l.client.CoreV1().Nodes().Patch(ctx, infraNode, types.MergePatchType, taint, metav1.PatchOptions{})
	return err
}
