package verdict

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/gangctl/gangctl/internal/timeline"
)

func (p *player) amount(most int64, of string) int64 { return rapid.Int64Range(0, most).Draw(p.T, of) }

func (p *player) addNode() {
	n := &timeline.Node{
		Name: rapid.SampledFrom(nodeNames).Draw(p.T, "node"), Ready: rapid.IntRange(0, 5).Draw(p.T, "ready") > 0,
		Closed:      rapid.IntRange(0, 5).Draw(p.T, "closed") == 0,
		Allocatable: timeline.Resources{timeline.GPU: p.amount(4, "gpus"), "cpu": p.amount(4, "cpu"), "pods": p.amount(4, "pods")},
		Labels:      map[string]string{"rack": rapid.SampledFrom([]string{"r1", "r2"}).Draw(p.T, "rack")},
	}
	n.Labels["host"] = n.Name
	if p.tidy {
		n.Allocatable[timeline.GPU], n.Allocatable["cpu"] = 100, 100
	}
	if rapid.IntRange(0, 5).Draw(p.T, "tainted") == 0 {
		n.Closed, n.Taints = true, []string{"x"}
	}
	p.add(timeline.Event{Node: n})
}

func (p *player) dropNode() {
	p.add(timeline.Event{Node: &timeline.Node{Name: rapid.SampledFrom(nodeNames).Draw(p.T, "node"), Gone: true}})
}

// submit submits a gang that is not there, mostly with its group and its pods.
func (p *player) submit() { p.submitGang(rapid.SampledFrom(gangNames).Draw(p.T, "gang")) }

func (p *player) submitGang(name string) {
	if _, alive := p.gangs[name]; alive {
		return
	}
	g := timeline.Gang{Name: name, Size: rapid.SampledFrom([]int{1, 2, 3, 3, 4}).Draw(p.T, "size")}
	g.Min = max(1, g.Size-rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(p.T, "beyond the minimum"))
	p.gangs[name] = g
	p.add(timeline.Event{Gang: &g})
	if p.tidy && !p.likely || rapid.IntRange(0, 5).Draw(p.T, "its group") > 0 {
		p.add(timeline.Event{Group: &timeline.Group{Name: name, Min: int64(g.Min)}})
	}
	pods := rapid.IntRange(0, g.Size).Draw(p.T, "pods")
	if p.missed {
		pods = g.Size
	}
	for range pods {
		p.newPod(name)
	}
}

func (p *player) endGang() {
	names := gangNames
	if len(p.gangs) > 0 {
		names = sortedKeys(p.gangs)
	}
	name := rapid.SampledFrom(names).Draw(p.T, "gang")
	delete(p.gangs, name)
	p.add(timeline.Event{Gang: &timeline.Gang{Name: name, Ended: true}})
}

func (p *player) addPod() { p.newPod(rapid.SampledFrom(gangNames).Draw(p.T, "gang")) }

func (p *player) stranger() { p.newPod(rapid.SampledFrom([]string{"", "foreign"}).Draw(p.T, "gang")) }

func (p *player) newPod(gang string) {
	p.uid++
	pod := &timeline.Pod{
		UID: fmt.Sprint(p.uid), Name: fmt.Sprintf("%s-%d", gang, p.uid), Gang: gang, Key: gang, Scheduler: "s", Phase: "Pending",
		Role:     rapid.SampledFrom([]string{"worker", "worker", "ps"}).Draw(p.T, "role"),
		Requests: timeline.Resources{timeline.GPU: p.amount(2, "gpus"), "cpu": p.amount(2, "cpu")},
	}
	if !p.tidy && rapid.IntRange(0, 7).Draw(p.T, "another key") == 0 {
		pod.Key = ""
	}
	if !p.tidy && rapid.IntRange(0, 7).Draw(p.T, "another scheduler") == 0 {
		pod.Scheduler = "t"
	}
	if !p.tidy && rapid.IntRange(0, 7).Draw(p.T, "bound at once") == 0 {
		pod.Node = rapid.SampledFrom(nodeNames).Draw(p.T, "node")
	}
	needs := 9
	if p.missed {
		needs = 3
	}
	switch rapid.IntRange(0, needs).Draw(p.T, "needs") {
	case 0:
		pod.NodeSelector = map[string]string{"rack": "r1"}
	case 1:
		pod.Tolerates = []string{"x"}
	case 2, 3:
		pod.Apart = rapid.SampledFrom([]string{"host", "rack"}).Draw(p.T, "apart")
	}
	p.pods = append(p.pods, pod)
	p.saw(pod)
}

func (p *player) saw(pod *timeline.Pod) {
	now := *pod
	p.add(timeline.Event{Pod: &now})
}

// bind binds a pod that waits.
func (p *player) bind() {
	var waiting []*timeline.Pod
	for _, pod := range p.pods {
		if pod.Node == "" {
			waiting = append(waiting, pod)
		}
	}
	if len(waiting) == 0 {
		return
	}
	pod := rapid.SampledFrom(waiting).Draw(p.T, "pod")
	pod.Node = rapid.SampledFrom(nodeNames).Draw(p.T, "node")
	p.saw(pod)
}

// bindAll binds all pods that wait.
func (p *player) bindAll() {
	for _, pod := range p.pods {
		if pod.Node == "" {
			pod.Node = rapid.SampledFrom(nodeNames).Draw(p.T, "node")
			p.saw(pod)
		}
	}
}

// change is what becomes of a pod.
func (p *player) change() {
	if len(p.pods) == 0 {
		return
	}
	i := rapid.IntRange(0, len(p.pods)-1).Draw(p.T, "pod")
	pod := p.pods[i]
	kinds := []string{"Running", "Succeeded", "Failed", "deleting", "gone", "why", "why"}
	if p.missed {
		kinds = []string{"deleting"}
	}
	switch rapid.SampledFrom(kinds).Draw(p.T, "change") {
	case "Running":
		pod.Phase = "Running"
	case "Succeeded":
		pod.Phase = "Succeeded"
	case "Failed":
		pod.Phase = "Failed"
	case "deleting":
		pod.Deleting = true
	case "gone":
		pod.Gone = true
		p.pods = slices.Delete(p.pods, i, i+1)
	case "why":
		pod.Why += "!"
	}
	p.saw(pod)
}
