package lab

import (
	"context"
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// leader marks the Endpoints that older components elect their leaders by.
const leader = "control-plane.alpha.kubernetes.io/leader"

// endLeases ends what the components held, which would keep the next ones waiting.
func (l *Lab) endLeases(ctx context.Context) error {
	leases, err := l.client.CoordinationV1().Leases(metav1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	locks, err := l.client.CoreV1().Endpoints(metav1.NamespaceAll).List(ctx, metav1.ListOptions{}) //nolint:staticcheck // it is what they use
	if err != nil {
		return err
	}
	var errs []error
	for _, lease := range leases.Items {
		errs = append(errs, orGone(l.client.CoordinationV1().Leases(lease.Namespace).Delete(ctx, lease.Name, metav1.DeleteOptions{})))
	}
	for _, lock := range locks.Items {
		if lock.Annotations[leader] != "" {
			errs = append(errs, orGone(l.client.CoreV1().Endpoints(lock.Namespace).Delete(ctx, lock.Name, metav1.DeleteOptions{})))
		}
	}
	return errors.Join(errs...)
}

// orGone takes no offence at what is gone already.
func orGone(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}
