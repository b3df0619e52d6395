package drive

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// doQuota limits the namespace, and waits until admission goes by it: by the status, which
// the controller fills in.
func (d *driver) doQuota(ctx context.Context, q *scenario.Quota) error {
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	hard := corev1.ResourceList{}
	if q.GPUs > 0 {
		hard[corev1.DefaultResourceRequestsPrefix+timeline.GPU] = *resource.NewQuantity(int64(q.GPUs), resource.DecimalSI)
	}
	if q.Pods > 0 {
		hard[corev1.ResourcePods] = *resource.NewQuantity(int64(q.Pods), resource.DecimalSI)
	}
	c := d.kube.CoreV1().ResourceQuotas(d.Writer.Namespace)
	quota := &corev1.ResourceQuota{
		ObjectMeta: metav1.ObjectMeta{Name: "gangctl", Labels: map[string]string{gang.ManagedBy: "gangctl"}},
		Spec:       corev1.ResourceQuotaSpec{Hard: hard},
	}
	if _, err := c.Create(ctx, quota, metav1.CreateOptions{}); err != nil {
		return fmt.Errorf("ResourceQuota: %w", err)
	}
	return await(ctx, c, &corev1.ResourceQuota{}, func(now *corev1.ResourceQuota) bool {
		return len(now.Status.Hard) == len(hard)
	})
}
