package report

import (
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
	"github.com/gangctl/gangctl/internal/verdict"
)

// section is a case's part of the page.
type section struct {
	CaseResult
	// ID is the section's in the page; those of its heading and pictures come of it.
	ID          string
	Profile     string
	Label       string
	Description string
	// Source is where the fault was reported; SourceURL, if it is an address.
	Source, SourceURL string
	// Short is the reason, or its beginning where More holds all of it.
	Short, More string
	Figures     []runFigure
	// Note says what the timeline lacks.
	Note     string
	Evidence []evidence
	Denied   []timeline.Denied
	// Pace is the timing where there were gangs enough to speak of a rate.
	Pace *verdict.Timing
}

// Find is what a reader may search the case by.
func (s section) Find() string {
	return strings.ToLower(strings.Join([]string{s.Name, s.Profile, s.Feature, s.Label, s.Description, s.Source, s.Reason}, " "))
}

// Passed says which of the page's filters shows the case.
func (s section) Passed() bool { return s.Outcome == verdict.Pass }

// runFigure is a run's picture with what goes under it.
type runFigure struct {
	Title   string
	Caption string
	Picture template.HTML
	Steps   []stepLine
	Ledger  []verdict.Holding
	// Idle is the ledger's sum of GPU-seconds.
	Idle timeline.Time
	Open bool
}

func newSection(c Case, link, id string) (section, error) {
	v := c.verdict()
	s := section{CaseResult: c.result(), ID: id, Profile: c.profile(), Label: Label(c), Description: c.spec().Description, Source: c.spec().Source}
	s.Timeline = filepath.ToSlash(link)
	if strings.HasPrefix(s.Source, "https://") {
		s.SourceURL = s.Source
	}
	s.Short = plain(v.Reason)
	if short := clip(s.Short, 420); short != s.Short {
		s.Short, s.More = short, s.Short
	}
	if t := v.Subject.Timing; t != nil && t.Gangs > 1 && !repeats(c) {
		s.Pace = t
	}
	if v.Outcome != verdict.Pass {
		s.Evidence, s.Denied = newEvidence(v.Subject), v.Subject.Denied
	}
	if v.Outcome == verdict.NotApplicable && c.Timeline == "" {
		return s, nil
	}
	runs, note, err := readRuns(c.Timeline)
	if err != nil {
		return s, err
	}
	s.Note = note
	for i, events := range runs {
		f := figureOf(c, events, fmt.Sprintf("run-%d-%s", i+1, id))
		if f.Title == "" {
			continue
		}
		s.Figures = append(s.Figures, f)
	}
	return s, nil
}

// repeats says that the case has rounds: their pauses make a rate meaningless.
func repeats(c Case) bool {
	return slices.ContainsFunc(c.spec().Steps, func(s scenario.Step) bool { return s.Repeat != nil })
}

// figureOf draws one run.
func figureOf(c Case, events []timeline.Event, id string) runFigure {
	ch := fold(events)
	v := c.verdict()
	f := runFigure{}
	run := &v.Subject
	switch ch.begin.Run {
	case timeline.Subject:
		f.Title = "On " + v.Backend
		if v.Backend == "" {
			f.Title = "On the backend"
		}
		f.Caption = subjectShowed(v.Subject)
		f.Open = v.Outcome != verdict.Pass
	case timeline.Control:
		f.Title = "Control: " + controlName(c)
		f.Caption = controlShowed(c)
		run = v.Control
	default:
		return f
	}
	if run != nil {
		f.Ledger = run.Ledger
		for _, h := range f.Ledger {
			f.Idle += h.IdleGPUSeconds
		}
	}
	p := &picture{chart: ch, title: c.name() + ", " + f.Title, id: id}
	// Every text in the drawing went through escape.
	f.Picture = template.HTML(p.draw())
	f.Steps = stepLines(ch.marks, run)
	return f
}

// subjectShowed says in a few words what the backend did.
func subjectShowed(r verdict.Run) string {
	met := 0
	for _, x := range r.Expectations {
		if x.Met {
			met++
		}
	}
	if len(r.Expectations) == 0 {
		return "came to no expectation"
	}
	text := fmt.Sprintf("%d of %s met", met, scenario.Count(len(r.Expectations), "expectation"))
	if n := len(r.Violations); n > 0 {
		text += ", " + scenario.Count(n, "violation")
	}
	return text
}

// readRuns reads the events of each run. What is missing is a note for the
// reader: a report must not fall with a timeline.
func readRuns(path string) (runs [][]timeline.Event, note string, err error) {
	if path == "" {
		return nil, "No timeline was kept for this case, so there is no picture.", nil
	}
	f, err := os.Open(path)
	if err != nil {
		var at *fs.PathError
		if errors.As(err, &at) {
			err = at.Err // without the path: it is of the machine that wrote the report
		}
		return nil, fmt.Sprintf("The timeline can't be opened (%v), so there is no picture.", err), nil
	}
	defer f.Close()
	err = timeline.Read(f, func(e timeline.Event) error {
		if e.Begin != nil || len(runs) == 0 {
			runs = append(runs, nil)
		}
		runs[len(runs)-1] = append(runs[len(runs)-1], e)
		return nil
	})
	switch {
	case errors.Is(err, timeline.ErrCutOff):
		note = "The timeline is cut off; the pictures show it up to there."
	case err != nil:
		note = fmt.Sprintf("The timeline is broken (%v); the pictures show it up to there.", err)
	case len(runs) == 0:
		note = "The timeline is empty, so there is no picture."
	}
	for _, events := range runs {
		if last := events[len(events)-1]; note == "" && last.End == nil {
			note = "A run in the timeline has no end: it was cut off, and its picture shows it up to there."
		}
	}
	return runs, note, nil
}
