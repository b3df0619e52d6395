package gang

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// Queue is a queue of the run's own, or nil where there are none.
func (w Writer) Queue(q *scenario.Queue) *unstructured.Unstructured {
	if w.Gang == nil || w.Gang.Queue == nil {
		return nil
	}
	u := w.object(w.Gang.Queue.ObjectKind, w.queueName(q.Name))
	u.SetNamespace("")
	u.SetLabels(map[string]string{ManagedBy: "gangctl"})
	put(u.Object, w.Gang.Queue.WeightField, int64(max(q.Weight, 1)))
	if q.GPUs > 0 && w.Gang.Queue.LimitField != "" {
		put(u.Object, w.Gang.Queue.LimitField, map[string]any{timeline.GPU: fmt.Sprint(q.GPUs)})
	}
	return u
}

// queueName keeps the queues of runs apart: they are in no namespace.
func (w Writer) queueName(name string) string { return w.Namespace + "-" + name }

// together is what the gang's pods request.
func together(s *scenario.Submit) map[string]any {
	sum := map[string]resource.Quantity{}
	for _, r := range s.Roles {
		for name, each := range amounts(r) {
			q := resource.MustParse(each.(string))
			q.Mul(int64(r.Count))
			total := sum[name]
			total.Add(q)
			sum[name] = total
		}
	}
	all := map[string]any{}
	for name, q := range sum {
		all[name] = q.String()
	}
	return all
}
