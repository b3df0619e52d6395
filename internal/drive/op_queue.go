package drive

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/scenario"
)

// doQueue makes a queue, which a safety control has none of.
func (d *driver) doQueue(ctx context.Context, q *scenario.Queue) error {
	ctx, cancel := d.bounded(ctx)
	defer cancel()
	queue := d.Writer.Queue(q)
	if queue == nil {
		return nil
	}
	queues := d.client.Resource(d.Writer.Gang.Queue.GVR())
	if _, err := queues.Create(ctx, queue, metav1.CreateOptions{}); err != nil {
		return err
	}
	d.atEnd(func(ctx context.Context) error {
		// A queue may have to be empty first.
		if err := d.dropGangs(ctx); err != nil {
			return err
		}
		if err := queues.Delete(ctx, queue.GetName(), metav1.DeleteOptions{}); !apierrors.IsNotFound(err) {
			return err
		}
		return nil
	})
	state := d.Writer.Gang.Queue.StateField
	if state == "" {
		return nil
	}
	return await(ctx, queues, &unstructured.Unstructured{}, func(now *unstructured.Unstructured) bool {
		return now.GetName() == queue.GetName() && gang.Field(now.Object, state) == "Open"
	})
}
