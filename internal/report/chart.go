package report

import "github.com/gangctl/gangctl/internal/timeline"

// chart is one run, folded into what a picture shows.
type chart struct {
	begin timeline.Begin
	end   timeline.Time
	// ended says that the run has its last event.
	ended    bool
	gangs    []*gangRows
	capacity []sample
	marks    []mark
	// asked says that some pod asked for a GPU.
	asked bool
}

// gangRows is a gang and the lanes of its pods. Its pods may come again under
// their names, as in a repeated case: lanes are keyed by name, not by UID.
type gangRows struct {
	name    string
	min     int
	lanes   []*lane
	partial []partial
}

// lane is what the pods of one name went through.
type lane struct {
	name     string
	segments []segment
}

// segment is a time in which a pod was in one state.
type segment struct {
	from, to timeline.Time
	state    podState
	uid      string
	node     string
}

// partial is a time in which a gang held room below its minimum.
type partial struct {
	from, to timeline.Time
	pods     int
	gpus     int64
}

// sample is the room at a time and from then on.
type sample struct {
	at timeline.Time
	// total is what ready nodes have, held what pods take of it, and idle the
	// part of that which partly bound gangs hold.
	total, held, idle int64
}

// podState is what a lane's colour says.
type podState string

// The states of a pod, in the order of a legend.
const (
	pending  podState = "pending"
	bound    podState = "bound"
	running  podState = "running"
	leaving  podState = "leaving"
	finished podState = "finished"
	failed   podState = "failed"
)

var podStates = []podState{pending, bound, running, leaving, finished, failed}

func stateOf(p *timeline.Pod) podState {
	switch {
	case p.Phase == "Failed":
		return failed
	case p.Phase == "Succeeded":
		return finished
	case p.Node == "":
		return pending
	case p.Deleting:
		return leaving
	case p.Phase == "Running":
		return running
	}
	return bound
}
