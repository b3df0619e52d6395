package report

import (
	"strings"
	"unicode/utf8"
)

// pennant is a label above the picture. Marks that stand too close share one.
type pennant struct {
	x, half     float64
	first, last string
	titles      []string
	alarm       bool
}

func (f *pennant) label() string {
	if f.first == f.last {
		return f.first
	}
	return f.first + "–" + f.last
}

// measure is half of the pennant's width.
func (f *pennant) measure() { f.half = 5 + 3.7*float64(utf8.RuneCountInString(f.label())) }

// drawMarks draws a dashed line for each mark, and gives the flags to go above.
func (p *picture) drawMarks(top float64) (flags []*pennant) {
	for _, m := range p.marks {
		if !m.drawn {
			continue
		}
		x := p.x(m.at)
		class := "mark"
		if m.alarm {
			class = "mark alarm"
		}
		p.line(class, x, top+marksHeight-4, x, p.bottom)
		one := &pennant{x: x, first: m.label, last: m.label, titles: []string{seconds(m.at) + ": " + m.text}, alarm: m.alarm}
		one.measure()
		if n := len(flags); n > 0 && flags[n-1].alarm == one.alarm && flags[n-1].x+flags[n-1].half+2 > x-one.half {
			last := flags[n-1]
			last.last, last.titles = one.last, append(last.titles, one.titles...)
			last.measure()
			continue
		}
		flags = append(flags, one)
	}
	return flags
}

func (p *picture) drawFlags(flags []*pennant, top float64) {
	for _, f := range flags {
		class := "flag"
		if f.alarm {
			class = "flag alarm"
		}
		x := max(f.half+1, min(f.x, pictureWidth-f.half-1))
		title := strings.Join(f.titles, "\n")
		p.element("rect", title, "class", class, "x", num(x-f.half), "y", num(top+4), "width", num(2*f.half), "height", "17", "rx", "8.5")
		p.text(class+" label", "", x, top+16.7, f.label())
	}
}
