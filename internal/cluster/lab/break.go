package lab

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gangctl/gangctl/internal/scenario"
)

// Break spoils a part of the installation.
func (l *Lab) Break(ctx context.Context, part string) error {
	spoil := l.dropBinding
	if part == scenario.CertificatesPart {
		spoil = l.forge
	}
	if l.installed == nil {
		return errors.New("nothing is installed")
	}
	broken := 0
	for _, o := range l.installed.Objects {
		did, err := spoil(ctx, o)
		if err != nil {
			return fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
		}
		if did {
			broken++
		}
	}
	if broken == 0 {
		return fmt.Errorf("the bundle has no %s to break", part)
	}
	return nil
}

// dropBinding deletes what gives a role to somebody.
func (l *Lab) dropBinding(ctx context.Context, o *unstructured.Unstructured) (bool, error) {
	switch o.GetKind() {
	case "ClusterRoleBinding":
		return true, l.client.RbacV1().ClusterRoleBindings().Delete(ctx, o.GetName(), metav1.DeleteOptions{})
	case "RoleBinding":
		return true, l.client.RbacV1().RoleBindings(o.GetNamespace()).Delete(ctx, o.GetName(), metav1.DeleteOptions{})
	}
	return false, nil
}

// forge makes a certificate anew, of a CA that is in no ca.crt and no webhook.
func (l *Lab) forge(ctx context.Context, o *unstructured.Unstructured) (bool, error) {
	if o.GetKind() != "Certificate" || o.GroupVersionKind().Group != certManagerGroup {
		return false, nil
	}
	if isCA, _, _ := unstructured.NestedBool(o.Object, "spec", "isCA"); isCA {
		return false, nil
	}
	stranger := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"commonName": "stranger", "isCA": true}}}
	parent, err := sign(stranger, nil)
	if err != nil {
		return false, err
	}
	pair, err := sign(o, parent)
	if err != nil {
		return false, err
	}
	key, err := pair.keyPEM()
	if err != nil {
		return false, err
	}
	patch, err := json.Marshal(map[string]any{"data": map[string][]byte{corev1.TLSCertKey: pair.certPEM, corev1.TLSPrivateKeyKey: key}})
	if err != nil {
		return false, err
	}
	secret, _, _ := unstructured.NestedString(o.Object, "spec", "secretName")
	_, err = l.client.CoreV1().Secrets(o.GetNamespace()).Patch(ctx, secret, types.MergePatchType, patch, metav1.PatchOptions{})
	if apierrors.IsNotFound(err) {
		return false, nil
	}
	return true, err
}
