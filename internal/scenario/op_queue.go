package scenario

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation"
)

// Queue makes a queue of the backend's, for gangs to wait in. The case is not applicable
// to backends that have none.
type Queue struct {
	// Name is the queue's in the case; on the cluster, the namespace's comes before it.
	Name string `json:"name"`
	// Weight is its share beside other queues; 1 by default.
	Weight int `json:"weight,omitempty"`
	// GPUs is the most nvidia.com/gpu that its pods may hold together; 0 does not limit it.
	GPUs int `json:"gpus,omitempty"`
}

func (q *Queue) validate() error {
	if e := validation.IsDNS1123Label(q.Name); len(e) > 0 {
		return fmt.Errorf("name: %q: %s", q.Name, e[0])
	}
	if q.Weight < 0 || q.GPUs < 0 {
		return fmt.Errorf("weight: %d and gpus: %d must not be negative", q.Weight, q.GPUs)
	}
	return nil
}

func (q *Queue) String() string {
	text := fmt.Sprintf("queue %s", q.Name)
	if q.Weight > 0 {
		text += fmt.Sprintf(" of weight %d", q.Weight)
	}
	if q.GPUs > 0 {
		text += " with at most " + Count(q.GPUs, "GPU")
	}
	return text
}
