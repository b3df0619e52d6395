package gang

import (
	corev1 "k8s.io/api/core/v1"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/gangctl/gangctl/internal/timeline"
)

// Needs is what a pod asks of its node, as a timeline has it.
func Needs(p *corev1.Pod) timeline.Pod {
	needs := timeline.Pod{
		Requests:     Amounts(resourcehelper.PodRequests(p, resourcehelper.PodResourcesOptions{})),
		NodeSelector: p.Spec.NodeSelector,
	}
	for _, t := range p.Spec.Tolerations {
		// What admission gives every pod says nothing of it.
		if t.Effect != corev1.TaintEffectNoExecute {
			needs.Tolerates = append(needs.Tolerates, t.Key)
		}
	}
	if a := p.Spec.Affinity; a != nil && a.PodAntiAffinity != nil {
		for _, term := range a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution {
			needs.Apart = term.TopologyKey
		}
	}
	return needs
}

// Amounts writes quantities as whole numbers: cpu in millicores.
func Amounts(list corev1.ResourceList) timeline.Resources {
	if len(list) == 0 {
		return nil
	}
	all := timeline.Resources{}
	for name, q := range list {
		if name == corev1.ResourceCPU {
			all[string(name)] = q.MilliValue()
		} else {
			all[string(name)] = q.Value()
		}
	}
	return all
}
