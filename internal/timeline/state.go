package timeline

import (
	"cmp"
	"maps"
	"slices"
	"strings"
)

// State is the cluster as the events so far describe it. The driver waits on it
// while a case runs, and the judge replays it: both see the same.
type State struct {
	Now    Time
	Nodes  map[string]*Node
	Groups map[string]*Group
	// Jobs holds what operators say of jobs.
	Jobs map[string]*Job
	// Gangs holds what was submitted and not ended since.
	Gangs map[string]*GangState
	// Others are pods of no gang of ours, by UID.
	Others map[string]*Pod
	// Denied and Refused are what the API server refused so far, and Sync is the last one.
	Denied  []Denied
	Refused []Refused
	Sync    *Sync

	doing string // the operation of the step under way
}

// GangState is a gang that was submitted, and its pods by UID.
type GangState struct {
	Gang
	Submitted Time
	Pods      map[string]*Pod
	// Seen counts the pods that were ever there, those that are gone included.
	Seen int
	// Messages are what was said of the gang, each once, the first hundred.
	Messages []string
	// Refused is what the API server said when it refused the gang's job or group.
	Refused string
	// GroupLost says that the gang's group was deleted, and not by a step of the scenario.
	GroupLost bool
	// Evicted counts the pods that lost their node, and not by a step of the scenario.
	Evicted int
}

// NewState is an empty cluster.
func NewState() *State {
	return &State{Nodes: map[string]*Node{}, Groups: map[string]*Group{}, Jobs: map[string]*Job{}, Gangs: map[string]*GangState{}, Others: map[string]*Pod{}}
}

// Apply moves the state past an event.
func (s *State) Apply(e Event) {
	s.Now = e.At
	switch {
	case e.Step != nil && e.Step.Done:
		s.doing = ""
	case e.Step != nil:
		s.doing = e.Step.Op
	case e.Node != nil:
		put(s.Nodes, e.Node.Name, e.Node, e.Node.Gone)
	case e.Said != nil:
		s.hear(e.Said)
	case e.Denied != nil:
		s.Denied = append(s.Denied, *e.Denied)
	case e.Refused != nil:
		s.Refused = append(s.Refused, *e.Refused)
		if g := s.Gangs[e.Refused.Name]; g != nil {
			g.Refused = e.Refused.Err
			g.hear(g.Refused)
		}
	case e.Sync != nil:
		s.Sync = e.Sync
	case e.Group != nil:
		if g := s.Gangs[e.Group.Name]; g != nil {
			g.hear(e.Group.Why)
			g.GroupLost = g.GroupLost || e.Group.Gone && s.doing != "delete"
		}
		put(s.Groups, e.Group.Name, e.Group, e.Group.Gone)
	case e.Job != nil:
		put(s.Jobs, e.Job.Name, e.Job, e.Job.Gone)
	case e.Gang != nil && e.Gang.Ended:
		// The gang may be submitted again under its name: what is left of its
		// first life must not count for the second.
		if g := s.Gangs[e.Gang.Name]; g != nil {
			maps.Copy(s.Others, g.Pods)
			delete(s.Gangs, e.Gang.Name)
		}
	case e.Gang != nil && s.Gangs[e.Gang.Name] != nil:
		s.Gangs[e.Gang.Name].Gang = *e.Gang
	case e.Gang != nil:
		s.Gangs[e.Gang.Name] = &GangState{Gang: *e.Gang, Submitted: e.At, Pods: map[string]*Pod{}}
	case e.Pod != nil:
		if _, old := s.Others[e.Pod.UID]; !old {
			if g := s.Gangs[e.Pod.Gang]; g != nil {
				before := g.Pods[e.Pod.UID]
				if before == nil && !e.Pod.Gone {
					g.Seen++
				}
				if before != nil && before.Bound() && (e.Pod.Deleting || e.Pod.Gone) && !takesPods(s.doing) {
					g.Evicted++
				}
				g.hear(e.Pod.Why)
				put(g.Pods, e.Pod.UID, e.Pod, e.Pod.Gone)
				return
			}
		}
		put(s.Others, e.Pod.UID, e.Pod, e.Pod.Gone)
	}
}

// hear finds the gang that something was said of.
func (s *State) hear(said *Said) {
	for _, g := range s.Gangs {
		if g.Name == said.Name || g.count(func(p *Pod) bool { return p.Name == said.Name }) > 0 {
			g.hear(said.Message)
		}
	}
}

// mostMessages bounds what is kept of what was said of a gang.
const mostMessages = 100

func (g *GangState) hear(message string) {
	if message != "" && len(g.Messages) < mostMessages && !slices.Contains(g.Messages, message) {
		g.Messages = append(g.Messages, message)
	}
}

// Told says whether a message has the words, in whatever case.
func (g *GangState) Told(words string) bool {
	return slices.ContainsFunc(g.Messages, func(m string) bool {
		return strings.Contains(strings.ToLower(m), strings.ToLower(words))
	})
}

// Finished says that all of the gang's pods have succeeded.
func (g *GangState) Finished() bool {
	return g.count(func(p *Pod) bool { return p.Phase == "Succeeded" }) == g.Size
}

// takesPods says of an operation that pods go by it: it waits until they are gone.
func takesPods(op string) bool {
	switch op {
	case "delete", "drain", "finish", "nodes", "scale", "suspend":
		return true
	}
	return false
}

func put[T any](m map[string]*T, key string, value *T, gone bool) {
	if gone {
		delete(m, key)
	} else {
		m[key] = value
	}
}

// Finished says that the pod's containers have all ended.
func (p *Pod) Finished() bool { return p.Phase == "Succeeded" || p.Phase == "Failed" }

// Bound says that the pod counts for its gang: it has a node, and neither failed
// nor is being taken away. A pod that succeeded has done its part.
func (p *Pod) Bound() bool { return p.Node != "" && p.Phase != "Failed" && !p.Deleting }

// Holds says that the pod takes its requests from a node.
func (p *Pod) Holds() bool { return p.Node != "" && !p.Finished() }

// Bound counts the gang's pods that are bound.
func (g *GangState) Bound() int { return g.count((*Pod).Bound) }

// Held is what the gang's pods take from the nodes, of one resource.
func (g *GangState) Held(resource string) int64 {
	var sum int64
	for _, p := range g.Pods {
		if p.Holds() {
			sum += p.Requests[resource]
		}
	}
	return sum
}

// BoundByRole counts the bound pods of each role that has any.
func (g *GangState) BoundByRole() map[string]int {
	n := map[string]int{}
	for _, p := range g.Pods {
		if p.Bound() {
			n[p.Role]++
		}
	}
	return n
}

// Partial says that the gang holds room that is of no use to it: some pods are
// bound, but fewer than its minimum.
func (g *GangState) Partial() bool {
	n := g.Bound()
	return n > 0 && n < g.Min
}

// Whole says that at least the gang's minimum is bound.
func (g *GangState) Whole() bool { return g.Bound() >= g.Min }

// Sorted returns the gang's pods by name.
func (g *GangState) Sorted() []*Pod {
	return slices.SortedFunc(maps.Values(g.Pods), func(a, b *Pod) int {
		return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.UID, b.UID))
	})
}

func (g *GangState) count(is func(*Pod) bool) int {
	n := 0
	for _, p := range g.Pods {
		if is(p) {
			n++
		}
	}
	return n
}
