package report

import (
	_ "embed"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

//go:embed picture.css
var pictureCSS string

// The picture's measures, in its own units: it is scaled to the page.
const (
	pictureWidth = 600.0
	gutter       = 128.0 // names, left of the plot
	margin       = 20.0  // right of it
	marksHeight  = 26.0
	roomHeight   = 64.0 // the capacity chart
	axisHeight   = 24.0
	legendHeight = 20.0
	titleHeight  = 28.0
	laneHeight   = 15.0
	headHeight   = 20.0 // a gang's name, above its lanes
	gangGap      = 5.0

	// nameLength is how many letters of a name have room in the gutter.
	nameLength = 17
	// manyLanes is where lanes become thin and lose their names.
	manyLanes = 40
	// thinTotal is what all thin lanes together may take.
	thinTotal = 460.0
	// gapTotal is what all gaps together may take.
	gapTotal = 250.0
)

// Picture writes a run as one SVG that stands alone: the room above, a lane per
// pod below. Of events that hold several runs it draws the first.
func Picture(w io.Writer, events []timeline.Event, title string) error {
	p := &picture{chart: fold(firstRun(events)), title: title, id: "timeline", standalone: true}
	_, err := w.Write(p.draw())
	return err
}

func firstRun(events []timeline.Event) []timeline.Event {
	for i, e := range events {
		if i > 0 && e.Begin != nil {
			return events[:i]
		}
	}
	return events
}

// picture lays a chart out.
type picture struct {
	svg
	*chart
	title string
	// id is unique within the page.
	id string
	// standalone brings its own style, ground and title.
	standalone bool

	thin   bool
	lane   float64 // a lane's height
	gap    float64 // between gangs
	bottom float64 // of the plot
	named  float64 // down to where names stand, among thin lanes
}

// draw gives the SVG.
func (p *picture) draw() []byte {
	lanes := 0
	for _, g := range p.gangs {
		lanes += len(g.lanes)
	}
	p.lane, p.gap = laneHeight, min(gangGap, gapTotal/float64(max(1, len(p.gangs))))
	if p.thin = lanes > manyLanes; p.thin {
		p.lane = min(5, thinTotal/float64(lanes))
	}
	top := 0.0
	if p.standalone {
		top = titleHeight
	}
	room := top + marksHeight
	lanesTop := room + roomHeight + 12
	p.bottom = lanesTop
	for _, g := range p.gangs {
		p.bottom += p.height(g)
	}
	keys := p.rows()
	height := p.bottom + axisHeight + float64(len(keys))*legendHeight + 4

	root := []string{"xmlns", "http://www.w3.org/2000/svg", "class", "gt", "viewBox", "0 0 " + num(pictureWidth) + " " + num(height), "role", "img", "aria-label", p.title + ": " + p.describe()}
	if p.standalone {
		root = append(root, "width", num(pictureWidth), "height", num(height))
	}
	p.open("svg", root...)
	if p.standalone {
		p.b.WriteString("<style>\n" + pictureCSS + "</style>\n")
		p.rect("ground", "", 0, 0, pictureWidth, height)
		p.text("title", "", 10, 19, p.title)
	}
	p.defs()
	p.axis(room)
	flags := p.drawMarks(top) // behind the lanes, which they must not cut
	p.room(room)
	y := lanesTop
	for _, g := range p.gangs {
		p.gang(g, y)
		y += p.height(g)
	}
	p.drawFlags(flags, top)
	p.legend(keys, p.bottom+axisHeight+2)
	p.close("svg")
	return p.b.Bytes()
}

// defs holds the hatch of idle room: it must be told apart without colour.
func (p *picture) defs() {
	p.open("defs")
	p.open("pattern", "id", p.id+"-hatch", "width", "5", "height", "5", "patternUnits", "userSpaceOnUse", "patternTransform", "rotate(45)")
	p.rect("hatch-ground", "", 0, 0, 5, 5)
	p.rect("hatch-line", "", 0, 0, 1.8, 5)
	p.close("pattern")
	p.close("defs")
}

func (p *picture) hatch() string { return "url(#" + p.id + "-hatch)" }

// x is where a time is drawn.
func (p *picture) x(t timeline.Time) float64 {
	return gutter + float64(t)/float64(max(p.end, 1))*(pictureWidth-gutter-margin)
}

// describe is the picture in words, for those who can't see it.
func (p *picture) describe() string {
	parts := []string{seconds(p.end) + " long"}
	for _, g := range p.gangs {
		if len(parts) > 6 {
			parts = append(parts, fmt.Sprintf("and %d gangs more", len(p.gangs)-6))
			break
		}
		text := fmt.Sprintf("%s: %s", g.title(), scenario.Count(len(g.lanes), "pod"))
		if n := len(g.partial); n > 0 {
			text += fmt.Sprintf(", partly bound %s, for %s in all", scenario.Count(n, "time"), seconds(g.partialTime()))
		}
		parts = append(parts, text)
	}
	if !p.ended {
		parts = append(parts, "cut off")
	}
	return strings.Join(parts, "; ")
}

func (g *gangRows) partialTime() timeline.Time {
	var sum timeline.Time
	for _, x := range g.partial {
		sum += x.to - x.from
	}
	return sum
}

// title is the gang's name with its minimum.
func (g *gangRows) title() string {
	if g.min == 0 {
		return g.name
	}
	return fmt.Sprintf("%s · min %d", g.name, g.min)
}

// axis draws the seconds and a faint grid.
func (p *picture) axis(top float64) {
	step := tick(p.end)
	for t := timeline.Time(0); t <= p.end; t += step {
		x := p.x(t)
		p.line("grid", x, top, x, p.bottom)
		// Shortest form: ticks are round numbers.
		p.text("tick", "", x, p.bottom+16, strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.2f", time.Duration(t).Seconds()), "0"), ".")+" s")
	}
	p.line("axis", gutter, p.bottom, pictureWidth-margin, p.bottom)
}

// tick is a round number of seconds that gives the axis at most eight labels.
func tick(end timeline.Time) timeline.Time {
	for unit := timeline.Time(10 * time.Millisecond); ; unit *= 10 {
		for _, n := range []timeline.Time{1, 2, 5} {
			if end/(n*unit) < 8 {
				return n * unit
			}
		}
	}
}
