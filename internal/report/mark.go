package report

import (
	"fmt"
	"strconv"

	"github.com/gangctl/gangctl/internal/timeline"
)

// mark is a moment of a run: a step's begin, or something that a component or a
// watch went through.
type mark struct {
	at timeline.Time
	// label stands above the picture: a step's number, R and a round, or !.
	label string
	text  string
	// step and round say where the mark is in the scenario; 0 for other moments.
	step, round int
	// alarm marks what no step of the scenario is.
	alarm bool
	// listed is false for the steps of later rounds, which are the first one's again.
	listed bool
	// drawn is false for the steps within a round: a line a round is enough.
	drawn bool
}

// mark notes what an event says of the run itself.
func (f *folder) mark(e timeline.Event) {
	switch {
	case e.Step != nil && !e.Step.Done:
		f.step(e.Step)
	case e.Component != nil:
		f.component(e.Component)
	case e.Cut != nil:
		f.alarm(fmt.Sprintf("the watch of %s was cut: %s", e.Cut.What, e.Cut.Err))
	case e.End != nil && e.End.Err != "":
		f.alarm("the run ended early: " + e.End.Err)
	}
}

func (f *folder) step(s *timeline.Step) {
	text := s.Text
	if text == "" {
		text = s.Op
	}
	m := mark{at: f.end, label: strconv.Itoa(s.Index), text: text, step: s.Index, round: s.Round, listed: s.Round <= 1, drawn: true}
	if s.Round > 0 {
		m.drawn = !f.rounds[s.Round]
		f.rounds[s.Round] = true
		m.label = "R" + strconv.Itoa(s.Round)
	}
	f.marks = append(f.marks, m)
}

// component notes a stop, an exit and a second start: that everything started
// before the case is no news.
func (f *folder) component(c *timeline.Component) {
	stopped := c.State != timeline.Started && c.State != timeline.Resumed
	if !stopped && !f.down[c.Name] {
		return
	}
	f.down[c.Name] = stopped
	switch c.State {
	case timeline.Started:
		f.alarm(c.Name + " started again")
	case timeline.Stopped, timeline.Paused, timeline.Resumed:
		f.alarm(c.Name + " " + string(c.State))
	default:
		f.alarm(c.Name + " exited by itself")
	}
}

func (f *folder) alarm(text string) {
	f.marks = append(f.marks, mark{at: f.end, label: "!", text: text, alarm: true, listed: true, drawn: true})
}
