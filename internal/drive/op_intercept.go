package drive

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/http"
	"path"
	"strings"
	"sync"
	"time"

	registrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// hook is a webhook of the run's own, for one intercept step. It sees what comes to the
// case's namespace.
type hook struct {
	scenario.Intercept
	name   string // of its configuration
	server *http.Server
	config *registrationv1.ValidatingWebhookConfiguration
	tell   func(timeline.Met)

	mu   sync.Mutex
	left int // of the step's times
}

// probe is the name of an object that the webhook refuses, so that one can tell whether
// the API server asks it yet.
func (h *hook) probe() string { return h.name + "-probe" }

// doIntercept begins to refuse or delay requests, or ends all that was begun.
func (d *driver) doIntercept(ctx context.Context, i *scenario.Intercept) error {
	if i.End {
		return d.unhook(ctx)
	}
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	h := &hook{
		Intercept: *i, left: i.Times, name: fmt.Sprintf("%s-%d", d.Writer.Namespace, len(d.hooks)),
		tell: func(m timeline.Met) { d.rec.Record(timeline.Event{Met: &m}) },
	}
	if err := h.serve(d.Writer.Namespace); err != nil {
		return err
	}
	d.hooks = append(d.hooks, h)
	d.atEnd(d.unhook)
	_, err := d.kube.AdmissionregistrationV1().ValidatingWebhookConfigurations().Create(ctx, h.config, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("webhook: %w", err)
	}
	return insist(ctx, func() (bool, error) {
		_, err := d.kube.CoreV1().ConfigMaps(d.Writer.Namespace).Create(ctx,
			&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: h.probe()}}, dryRun)
		if apierrors.IsForbidden(err) {
			return true, nil
		}
		return false, err
	})
}

// serve begins to serve the webhook on this machine, where the lab's API server is, too.
func (h *hook) serve(namespace string) error {
	authority, key, err := cert.GenerateSelfSignedCertKey("127.0.0.1", nil, nil)
	if err != nil {
		return err
	}
	pair, err := tls.X509KeyPair(authority, key)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	h.server = &http.Server{
		Handler:           &admission.Webhook{Handler: admission.HandlerFunc(h.handle)},
		TLSConfig:         &tls.Config{Certificates: []tls.Certificate{pair}, MinVersion: tls.VersionTLS12},
		ReadHeaderTimeout: 10 * time.Second,
	}
	go func() { _ = h.server.ServeTLS(listener, "", "") }()

	url := "https://" + listener.Addr().String()
	exact, ignore, none, seconds := registrationv1.Exact, registrationv1.Ignore, registrationv1.SideEffectClassNone, int32(30)
	h.config = &registrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: h.name, Labels: map[string]string{gang.ManagedBy: "gangctl"}},
		Webhooks: []registrationv1.ValidatingWebhook{{
			Name:         "intercept.gangctl.dev",
			ClientConfig: registrationv1.WebhookClientConfig{URL: &url, CABundle: authority},
			Rules: []registrationv1.RuleWithOperations{
				intercepted(registrationv1.Create, "configmaps"),
				intercepted(registrationv1.OperationType(strings.ToUpper(h.Verb)), h.Resource),
			},
			MatchPolicy: &exact, SideEffects: &none, TimeoutSeconds: &seconds,
			// If this program dies, nothing is to be refused for its sake.
			FailurePolicy:           &ignore,
			AdmissionReviewVersions: []string{"v1"},
			NamespaceSelector:       &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: namespace}},
		}},
	}
	return nil
}

func intercepted(verb registrationv1.OperationType, resource string) registrationv1.RuleWithOperations {
	return registrationv1.RuleWithOperations{
		Operations: []registrationv1.OperationType{verb},
		Rule:       registrationv1.Rule{APIGroups: []string{"*"}, APIVersions: []string{"*"}, Resources: []string{resource}},
	}
}

// handle answers one request.
func (h *hook) handle(ctx context.Context, req admission.Request) admission.Response {
	if req.Name == h.probe() {
		return admission.Denied("this is a probe")
	}
	if !h.takes(req) {
		return admission.Allowed("")
	}
	h.tell(timeline.Met{User: req.UserInfo.Username, Verb: h.Verb, Resource: h.Resource, Name: req.Name, Denied: h.Deny != ""})
	if h.Deny != "" {
		return admission.Denied(h.Deny)
	}
	if err := pause(ctx, time.Duration(h.Delay)); err != nil {
		return admission.Errored(http.StatusServiceUnavailable, err)
	}
	return admission.Allowed("")
}

// takes says whether the request is one of those that the step is about.
func (h *hook) takes(req admission.Request) bool {
	resource := req.Resource.Resource
	if req.SubResource != "" {
		resource += "/" + req.SubResource
	}
	if !strings.EqualFold(string(req.Operation), h.Verb) || resource != h.Resource {
		return false
	}
	if like, err := path.Match(h.Name, req.Name); h.Name != "" && (err != nil || !like) {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.Times > 0 && h.left == 0 {
		return false
	}
	h.left--
	return true
}

// unhook ends the webhooks.
func (d *driver) unhook(ctx context.Context) error {
	var errs []error
	for _, h := range d.hooks {
		err := d.kube.AdmissionregistrationV1().ValidatingWebhookConfigurations().Delete(ctx, h.name, metav1.DeleteOptions{})
		errs = append(errs, err, h.server.Close())
	}
	d.hooks = nil
	return errors.Join(errs...)
}
