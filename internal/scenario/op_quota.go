package scenario

import "fmt"

// Quota limits what the case's namespace may hold: a ResourceQuota.
type Quota struct {
	// GPUs is the most nvidia.com/gpu that its pods may request; 0 does not limit it.
	GPUs int `json:"gpus,omitempty"`
	// Pods is the most pods; 0 does not limit them.
	Pods int `json:"pods,omitempty"`
}

func (q *Quota) validate() error {
	if q.GPUs < 0 || q.Pods < 0 || q.GPUs+q.Pods == 0 {
		return fmt.Errorf("gpus: %d and pods: %d must not be negative, and one must be set", q.GPUs, q.Pods)
	}
	return nil
}

func (q *Quota) String() string {
	switch {
	case q.Pods == 0:
		return fmt.Sprintf("the namespace may have %s", Count(q.GPUs, "GPU"))
	case q.GPUs == 0:
		return fmt.Sprintf("the namespace may have %s", Count(q.Pods, "pod"))
	}
	return fmt.Sprintf("the namespace may have %s and %s", Count(q.GPUs, "GPU"), Count(q.Pods, "pod"))
}
