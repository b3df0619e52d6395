package lab

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// taken is an API server that takes everything, and keeps what it was sent by path.
func taken(t *testing.T) (kubernetes.Interface, map[string][]byte) {
	sent := map[string][]byte{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		var named struct{ Metadata struct{ Name string } }
		_ = json.Unmarshal(body, &named)
		sent[strings.TrimSuffix(r.Method+" "+r.URL.Path+"/"+named.Metadata.Name, "/")] = body
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write([]byte(`{}`))
	}))
	t.Cleanup(server.Close)
	client, err := kubernetes.NewForConfig(&rest.Config{Host: server.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
	if err != nil {
		t.Fatal(err)
	}
	return client, sent
}

func object(apiVersion, kind, name string, spec map[string]any) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": apiVersion, "kind": kind, "spec": spec}}
	u.SetNamespace("toy-system")
	u.SetName(name)
	return u
}

// webhooks are two, which ask for the CA of a Certificate.
func webhooks(kind, from string) *unstructured.Unstructured {
	u := object("admissionregistration.k8s.io/v1", kind, "toy", nil)
	u.Object["webhooks"] = []any{map[string]any{"name": "a.example.com"}, map[string]any{"name": "b.example.com"}}
	u.SetAnnotations(map[string]string{injectFrom: from})
	return u
}

// serving is a Certificate by a CA that signed itself.
func serving() []*unstructured.Unstructured {
	named := func(name string) map[string]any { return map[string]any{"name": name} }
	return []*unstructured.Unstructured{
		object("cert-manager.io/v1", "Issuer", "self", map[string]any{"selfSigned": map[string]any{}}),
		object("cert-manager.io/v1", "Certificate", "ca", map[string]any{"secretName": "ca", "isCA": true, "commonName": "ca", "issuerRef": named("self")}),
		object("cert-manager.io/v1", "Issuer", "ca", map[string]any{"ca": map[string]any{"secretName": "ca"}}),
		object("cert-manager.io/v1", "Certificate", "serving", map[string]any{"secretName": "serving", "dnsNames": []any{"toy.toy-system.svc"}, "issuerRef": named("ca")}),
		object("cert-manager.io/v1", "Certificate", "alone", map[string]any{"secretName": "alone", "dnsNames": []any{"toy.toy-system.svc"}, "issuerRef": named("self")}),
	}
}

func TestWebhooksTrustTheCertificate(t *testing.T) {
	tests := map[string]struct{ kind, certificate string }{
		"by a CA":        {"ValidatingWebhookConfiguration", "serving"},
		"by none":        {"ValidatingWebhookConfiguration", "alone"},
		"mutating, also": {"MutatingWebhookConfiguration", "serving"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			client, sent := taken(t)
			if err := (&Lab{client: client}).issueCertificates(t.Context(), append(serving(), webhooks(test.kind, "toy-system/"+test.certificate))); err != nil {
				t.Fatal(err)
			}
			var patch []struct {
				Op, Path string
				Value    []byte
			}
			path := "/apis/admissionregistration.k8s.io/v1/" + strings.ToLower(test.kind) + "s/toy"
			if err := json.Unmarshal(sent["PATCH "+path], &patch); err != nil || len(patch) != 2 {
				t.Fatalf("PATCH %s: %s (%v)", path, sent["PATCH "+path], err)
			}
			var secret corev1.Secret
			if err := json.Unmarshal(sent["POST /api/v1/namespaces/toy-system/secrets/"+test.certificate], &secret); err != nil {
				t.Fatal(err)
			}
			block, _ := pem.Decode(secret.Data["tls.crt"])
			leaf, err := x509.ParseCertificate(block.Bytes)
			if err != nil {
				t.Fatal(err)
			}
			for i, op := range patch {
				if want := []string{"/webhooks/0/clientConfig/caBundle", "/webhooks/1/clientConfig/caBundle"}[i]; op.Op != "add" || op.Path != want {
					t.Errorf("%s %s, want add %s", op.Op, op.Path, want)
				}
				roots := x509.NewCertPool()
				roots.AppendCertsFromPEM(op.Value)
				if _, err := leaf.Verify(x509.VerifyOptions{DNSName: "toy.toy-system.svc", Roots: roots}); err != nil {
					t.Errorf("%s does not hold what signed the certificate: %v", op.Path, err)
				}
			}
		})
	}
}

func TestInjectRefuses(t *testing.T) {
	tests := map[string]struct {
		object *unstructured.Unstructured
		want   string
	}{
		"no such certificate": {
			webhooks("ValidatingWebhookConfiguration", "toy-system/other"),
			"ValidatingWebhookConfiguration toy: cert-manager.io/inject-ca-from: no Certificate toy-system/other in the bundle",
		},
		"another kind": {
			webhooks("CustomResourceDefinition", "toy-system/serving"),
			"CustomResourceDefinition toy: cert-manager.io/inject-ca-from: the lab injects into webhook configurations only",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			client, _ := taken(t)
			err := (&Lab{client: client}).issueCertificates(t.Context(), append(serving(), test.object))
			if err == nil || err.Error() != test.want {
				t.Errorf("got error  %v\nwant error %s", err, test.want)
			}
		})
	}
}
