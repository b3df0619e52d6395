package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gangctl/gangctl/internal/timeline"
)

// fold makes the chart of a run. It shows as much as there is: a timeline that is
// cut off gives the picture up to there.
func fold(events []timeline.Event) *chart {
	f := &folder{
		chart: &chart{}, state: timeline.NewState(), rows: map[string]*gangRows{}, lanes: map[[2]string]*lane{},
		open: map[string]*partial{}, total: map[string]int64{}, held: map[string]int64{}, idle: map[string]int64{},
		rounds: map[int]bool{}, down: map[string]bool{},
	}
	for _, e := range events {
		f.apply(e)
	}
	return f.finish()
}

// folder replays events with the state that the driver and the judge see too.
type folder struct {
	*chart
	state *timeline.State
	rows  map[string]*gangRows
	lanes map[[2]string]*lane // by gang and pod name
	open  map[string]*partial // by gang
	// The room, kept as sums so that an event costs no walk over the cluster.
	total, held, idle map[string]int64 // by node, by pod UID, by gang
	now               sample
	rounds            map[int]bool
	down              map[string]bool // components that are stopped
}

func (f *folder) apply(e timeline.Event) {
	if e.Begin != nil {
		f.begin = *e.Begin
	}
	e.At = max(e.At, f.end)
	f.end = e.At
	f.state.Apply(e)
	switch {
	case e.Node != nil:
		n := int64(0)
		if e.Node.Ready && !e.Node.Gone {
			n = e.Node.Allocatable[timeline.GPU]
		}
		set(f.total, e.Node.Name, n, &f.now.total)
	case e.Gang != nil:
		if !e.Gang.Ended {
			f.row(e.Gang.Name).min = e.Gang.Min
		}
		f.weigh(e.Gang.Name)
	case e.Pod != nil:
		f.pod(e.Pod)
		f.weigh(e.Pod.Gang)
	case e.End != nil:
		f.ended = true
	}
	f.mark(e)
	f.sample()
}

func (f *folder) pod(p *timeline.Pod) {
	n := int64(0)
	if p.Holds() && !p.Gone {
		n = p.Requests[timeline.GPU]
	}
	set(f.held, p.UID, n, &f.now.held)
	f.asked = f.asked || p.Requests[timeline.GPU] > 0
	if p.Gang == "" {
		return // the bundle's own pods: they count for the room, and are no part of the story
	}
	l := f.lanes[[2]string{p.Gang, p.Name}]
	if l == nil {
		l = &lane{name: p.Name}
		f.lanes[[2]string{p.Gang, p.Name}] = l
		f.row(p.Gang).lanes = append(f.row(p.Gang).lanes, l)
	}
	l.note(p, f.end)
}

// note ends the lane's segment and begins the next, if something is to be seen.
func (l *lane) note(p *timeline.Pod, at timeline.Time) {
	const open = timeline.Time(-1)
	next := segment{from: at, to: open, state: stateOf(p), uid: p.UID, node: p.Node}
	if n := len(l.segments); n > 0 && l.segments[n-1].to == open {
		last := &l.segments[n-1]
		if !p.Gone && last.uid == next.uid && last.state == next.state && last.node == next.node {
			return
		}
		if p.Gone && last.uid != p.UID {
			return // an earlier pod of this name, seen gone after its successor came
		}
		last.to = at
	}
	if !p.Gone {
		l.segments = append(l.segments, next)
	}
}

// row finds a gang's rows.
func (f *folder) row(gang string) *gangRows {
	if f.rows[gang] == nil {
		f.rows[gang] = &gangRows{name: gang}
		f.gangs = append(f.gangs, f.rows[gang])
	}
	return f.rows[gang]
}

// weigh sees whether a gang is partly bound, and what it holds then.
func (f *folder) weigh(gang string) {
	g, p := f.state.Gangs[gang], f.open[gang]
	if g == nil || !g.Partial() {
		set(f.idle, gang, 0, &f.now.idle)
		if p != nil {
			p.to = f.end
			f.rows[gang].partial = append(f.rows[gang].partial, *p)
			delete(f.open, gang)
		}
		return
	}
	if p == nil {
		p = &partial{from: f.end}
		f.open[gang] = p
	}
	p.pods, p.gpus = max(p.pods, g.Bound()), max(p.gpus, g.Held(timeline.GPU))
	set(f.idle, gang, g.Held(timeline.GPU), &f.now.idle)
}

// sample notes the room where it changed.
func (f *folder) sample() {
	s := f.now
	s.at = f.end
	if n := len(f.capacity); n > 0 {
		last := &f.capacity[n-1]
		if last.at == s.at {
			*last = s
			return
		}
		if last.total == s.total && last.held == s.held && last.idle == s.idle {
			return
		}
	}
	f.capacity = append(f.capacity, s)
}

func (f *folder) finish() *chart {
	for gang, p := range f.open {
		p.to = f.end
		f.rows[gang].partial = append(f.rows[gang].partial, *p)
	}
	for _, g := range f.gangs {
		slices.SortFunc(g.lanes, func(a, b *lane) int { return compareNatural(a.name, b.name) })
		for _, l := range g.lanes {
			if n := len(l.segments); n > 0 && l.segments[n-1].to < 0 {
				l.segments[n-1].to = f.end
			}
		}
	}
	return f.chart
}

// set replaces a part of a sum.
func set(parts map[string]int64, key string, n int64, sum *int64) {
	*sum += n - parts[key]
	parts[key] = n
}

// compareNatural puts worker-2 before worker-10.
func compareNatural(a, b string) int {
	stemA, stemB := strings.TrimRight(a, "0123456789"), strings.TrimRight(b, "0123456789")
	if stemA == stemB {
		return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b))
	}
	return cmp.Compare(stemA, stemB)
}
