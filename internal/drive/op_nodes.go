package drive

import (
	"context"
	"fmt"
	"maps"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// doNodes adds or removes nodes, and waits until they are ready or gone.
func (d *driver) doNodes(ctx context.Context, n *scenario.Nodes) error {
	run := ctx
	ctx, cancel := d.bounded(run)
	defer cancel()
	nodes := d.kube.CoreV1().Nodes()
	if n.Remove > d.nodes {
		return fmt.Errorf("remove: %d of %d nodes", n.Remove, d.nodes)
	}
	lost := map[string]*timeline.Pod{} // by UID
	for range n.Remove {
		name := nodeName(d.nodes)
		d.rec.Look(func(s *timeline.State) { podsOn(s, name, lost) })
		d.nodes--
		if err := nodes.Delete(ctx, name, metav1.DeleteOptions{}); err != nil {
			return err
		}
	}
	for range n.Add {
		d.nodes++
		d.shut[nodeName(d.nodes)] = shut{n.Cordoned, scenario.Closing(n.Taints)}
		if _, err := nodes.Create(ctx, node(nodeName(d.nodes), n), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	err := d.rec.Until(ctx, func(s *timeline.State) bool {
		for i := range d.nodes {
			// A new node is tainted until the node controller has seen it.
			name := nodeName(i + 1)
			if n := s.Nodes[name]; n == nil || !n.Ready || n.Closed != d.shut[name].any() {
				return false
			}
		}
		for i := range n.Remove {
			if s.Nodes[nodeName(d.nodes+i+1)] != nil {
				return false
			}
		}
		return true
	})
	if err != nil || !n.Replaced {
		return err
	}
	// Kubernetes collects them in its own time, which is up to a minute.
	collected, cancel := d.boundedBy(run, collectWithin)
	defer cancel()
	return d.replace(collected, lost, true)
}

// collectWithin is how long the pod garbage collector may take: it looks each 20 s, and
// gives a node that it misses 40 s to come back.
const collectWithin = 2 * time.Minute

// podsOn adds the gangs' pods that hold a node.
func podsOn(s *timeline.State, node string, found map[string]*timeline.Pod) {
	for _, g := range s.Gangs {
		for uid, p := range g.Pods {
			if p.Node == node && p.Holds() {
				found[uid] = p
			}
		}
	}
}

func nodeName(i int) string { return fmt.Sprintf("node-%d", i) }

func node(name string, n *scenario.Nodes) *corev1.Node {
	cpu, pods := n.CPU, n.Pods
	if cpu == 0 {
		cpu = 32
	}
	if pods == 0 {
		pods = 110
	}
	room := corev1.ResourceList{
		corev1.ResourceCPU:    *resource.NewQuantity(int64(cpu), resource.DecimalSI),
		corev1.ResourceMemory: resource.MustParse("256Gi"),
		corev1.ResourcePods:   *resource.NewQuantity(int64(pods), resource.DecimalSI),
		// Every kubelet reports some, and an MPIJob's launcher asks for some.
		corev1.ResourceEphemeralStorage: resource.MustParse("200Gi"),
	}
	if n.Memory != "" {
		room[corev1.ResourceMemory] = resource.MustParse(n.Memory)
	}
	for name, amount := range n.Resources {
		room[corev1.ResourceName(name)] = *resource.NewQuantity(amount, resource.DecimalSI)
	}
	if n.GPUs > 0 {
		room[timeline.GPU] = *resource.NewQuantity(int64(n.GPUs), resource.DecimalSI)
	}
	labels := map[string]string{gang.ManagedBy: "gangctl", corev1.LabelHostname: name}
	maps.Copy(labels, n.Labels)
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Spec:       corev1.NodeSpec{Unschedulable: n.Cordoned, Taints: coreTaints(n.Taints)},
		Status:     corev1.NodeStatus{Allocatable: room, Capacity: room},
	}
}
