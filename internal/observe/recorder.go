// Package observe watches a cluster and writes what it sees into a timeline. It is
// the timeline's only writer.
package observe

import (
	"context"
	"io"
	"sync"
	"time"

	"github.com/gangctl/gangctl/internal/timeline"
)

// Recorder orders events by receipt, writes them down and keeps the state that
// they add up to.
type Recorder struct {
	start time.Time // with a monotonic clock

	mu      sync.Mutex
	out     *timeline.Writer
	state   *timeline.State
	seq     int
	ended   bool
	err     error
	changed chan struct{}
}

// New begins a run.
func New(w io.Writer, begin timeline.Begin) *Recorder {
	r := &Recorder{start: time.Now(), out: timeline.NewWriter(w), state: timeline.NewState(), changed: make(chan struct{})}
	begin.Format, begin.Started = timeline.Format, r.start.UTC().Truncate(time.Millisecond)
	r.Record(timeline.Event{Begin: &begin})
	return r
}

// Record stamps an event with the present and appends it. After the run's end
// nothing is recorded.
func (r *Recorder) Record(e timeline.Event) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return
	}
	r.seq++
	e.Seq = r.seq
	if r.seq > 1 {
		// The file has microseconds: what is decided now must be decided again from it.
		e.At = timeline.Time(time.Since(r.start).Truncate(time.Microsecond))
	}
	r.state.Apply(e)
	if err := r.out.Write(e); err != nil && r.err == nil {
		r.err = err
	}
	r.ended = e.End != nil
	close(r.changed)
	r.changed = make(chan struct{})
}

// Until waits until the state satisfies ok, or the context ends.
func (r *Recorder) Until(ctx context.Context, ok func(*timeline.State) bool) error {
	for {
		r.mu.Lock()
		done, changed := ok(r.state), r.changed
		r.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Look reads the state.
func (r *Recorder) Look(at func(*timeline.State)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at(r.state)
}

// Close ends the run and hands everything to the underlying writer.
func (r *Recorder) Close(end timeline.End) error {
	r.Record(timeline.Event{End: &end})
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.out.Flush(); r.err == nil {
		r.err = err
	}
	return r.err
}
