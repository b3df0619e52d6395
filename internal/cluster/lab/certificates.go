package lab

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"math/big"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
)

// certManagerGroup is the API group of the kinds that the lab serves itself.
const certManagerGroup = "cert-manager.io"

// injectFrom asks for the CA of the Certificate that it names.
const injectFrom = "cert-manager.io/inject-ca-from"

// issuer plays cert-manager for the Certificates of a bundle: it writes the
// Secret that each asks for, signed as its Issuer says, and the CA into the webhooks
// that ask for it.
type issuer struct {
	lab     *Lab
	objects []*unstructured.Unstructured
	made    map[string]*keyPair // by namespace/secret
}

type keyPair struct {
	cert      *x509.Certificate
	key       *ecdsa.PrivateKey
	certPEM   []byte
	parentPEM []byte
}

func (l *Lab) issueCertificates(ctx context.Context, objects []*unstructured.Unstructured) error {
	if l.pairs == nil {
		l.pairs = map[string]*keyPair{}
	}
	i := &issuer{lab: l, objects: objects, made: l.pairs}
	for _, o := range objects {
		if o.GetKind() == "Certificate" && o.GroupVersionKind().Group == certManagerGroup {
			if _, err := i.issue(ctx, o); err != nil {
				return fmt.Errorf("certificate %s/%s: %w", o.GetNamespace(), o.GetName(), err)
			}
		}
	}
	for _, o := range objects {
		if from := o.GetAnnotations()[injectFrom]; from != "" {
			if err := i.inject(ctx, o, from); err != nil {
				return fmt.Errorf("%s %s: %s: %w", o.GetKind(), o.GetName(), injectFrom, err)
			}
		}
	}
	return nil
}

// inject writes the CA of a Certificate into the webhooks of an object, as
// cert-manager does for those that ask for it.
func (i *issuer) inject(ctx context.Context, o *unstructured.Unstructured, from string) error {
	namespace, name, _ := strings.Cut(from, "/")
	c := i.find("Certificate", namespace, func(o *unstructured.Unstructured) bool { return o.GetName() == name })
	if c == nil {
		return fmt.Errorf("no Certificate %s in the bundle", from)
	}
	pair, err := i.issue(ctx, c)
	if err != nil {
		return err
	}
	webhooks, _, _ := unstructured.NestedSlice(o.Object, "webhooks")
	var ops []map[string]any
	for n := range webhooks {
		ops = append(ops, map[string]any{"op": "add", "path": fmt.Sprintf("/webhooks/%d/clientConfig/caBundle", n), "value": pair.parentPEM})
	}
	patch, err := json.Marshal(ops)
	if err != nil {
		return err
	}
	api := i.lab.client.AdmissionregistrationV1()
	switch o.GetKind() {
	case "MutatingWebhookConfiguration":
		_, err = api.MutatingWebhookConfigurations().Patch(ctx, o.GetName(), types.JSONPatchType, patch, metav1.PatchOptions{})
	case "ValidatingWebhookConfiguration":
		_, err = api.ValidatingWebhookConfigurations().Patch(ctx, o.GetName(), types.JSONPatchType, patch, metav1.PatchOptions{})
	default:
		err = fmt.Errorf("the lab injects into webhook configurations only")
	}
	return err
}

func (i *issuer) issue(ctx context.Context, c *unstructured.Unstructured) (*keyPair, error) {
	secret, _, _ := unstructured.NestedString(c.Object, "spec", "secretName")
	at := c.GetNamespace() + "/" + secret
	if pair := i.made[at]; pair != nil {
		// The Secret may have gone with its namespace since.
		return pair, i.store(ctx, c.GetNamespace(), secret, pair)
	}
	ref, _, _ := unstructured.NestedString(c.Object, "spec", "issuerRef", "name")
	by := i.find("Issuer", c.GetNamespace(), func(o *unstructured.Unstructured) bool { return o.GetName() == ref })
	if by == nil {
		return nil, fmt.Errorf("spec.issuerRef: no Issuer %s in the bundle", ref)
	}
	var parent *keyPair
	if ca, ok, _ := unstructured.NestedString(by.Object, "spec", "ca", "secretName"); ok {
		signer := i.find("Certificate", c.GetNamespace(), func(o *unstructured.Unstructured) bool {
			s, _, _ := unstructured.NestedString(o.Object, "spec", "secretName")
			return s == ca && o.GetName() != c.GetName()
		})
		if signer == nil {
			return nil, fmt.Errorf("issuer %s: no Certificate of the bundle makes the secret %s", ref, ca)
		}
		var err error
		if parent, err = i.issue(ctx, signer); err != nil {
			return nil, err
		}
	} else if _, ok, _ := unstructured.NestedMap(by.Object, "spec", "selfSigned"); !ok {
		return nil, fmt.Errorf("issuer %s: the lab serves selfSigned and ca issuers", ref)
	}
	pair, err := sign(c, parent)
	if err != nil {
		return nil, err
	}
	i.made[at] = pair
	return pair, i.store(ctx, c.GetNamespace(), secret, pair)
}

func (i *issuer) find(kind, namespace string, is func(*unstructured.Unstructured) bool) *unstructured.Unstructured {
	for _, o := range i.objects {
		if o.GetKind() == kind && o.GetNamespace() == namespace && o.GroupVersionKind().Group == certManagerGroup && is(o) {
			return o
		}
	}
	return nil
}

// sign makes a key and a certificate; without a parent it signs itself.
func sign(c *unstructured.Unstructured, parent *keyPair) (*keyPair, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
	if err != nil {
		return nil, err
	}
	name, _, _ := unstructured.NestedString(c.Object, "spec", "commonName")
	isCA, _, _ := unstructured.NestedBool(c.Object, "spec", "isCA")
	dns, _, _ := unstructured.NestedStringSlice(c.Object, "spec", "dnsNames")
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: name}, DNSNames: dns,
		NotBefore: now.Add(-time.Minute), NotAfter: now.Add(24 * time.Hour),
		IsCA: isCA, BasicConstraintsValid: true,
		KeyUsage:    x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	}
	if isCA {
		template.KeyUsage |= x509.KeyUsageCertSign
		template.ExtKeyUsage = nil
	}
	by, byKey := template, key
	if parent != nil {
		by, byKey = parent.cert, parent.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, by, &key.PublicKey, byKey)
	if err != nil {
		return nil, err
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	pair := &keyPair{cert: cert, key: key, certPEM: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})}
	pair.parentPEM = pair.certPEM
	if parent != nil {
		pair.parentPEM = parent.certPEM
	}
	return pair, nil
}

func (p *keyPair) keyPEM() ([]byte, error) {
	der, err := x509.MarshalPKCS8PrivateKey(p.key)
	return pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}), err
}

// store writes the Secret with the keys that cert-manager gives it.
func (i *issuer) store(ctx context.Context, namespace, name string, p *keyPair) error {
	key, err := p.keyPEM()
	if err != nil {
		return err
	}
	s := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: managed},
		Type:       corev1.SecretTypeTLS,
		Data: map[string][]byte{
			"tls.crt": p.certPEM,
			"tls.key": key,
			"ca.crt":  p.parentPEM,
		},
	}
	_, err = i.lab.client.CoreV1().Secrets(namespace).Create(ctx, s, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
