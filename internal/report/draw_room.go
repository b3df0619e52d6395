package report

import (
	"fmt"
	"strings"

	"github.com/gangctl/gangctl/internal/timeline"
)

// room draws the capacity chart: what ready nodes have as a line, what pods hold
// as an area, and hatched the part of it that partly bound gangs hold.
func (p *picture) room(top float64) {
	bottom := top + roomHeight
	most := int64(0)
	for _, s := range p.capacity {
		most = max(most, s.total, s.held)
	}
	p.line("axis", gutter, bottom, pictureWidth-margin, bottom)
	p.text("unit", "", gutter-8, top+roomHeight/2+4, "GPUs")
	p.text("unit", "", gutter-8, bottom, "0")
	if most == 0 {
		note := "no node has a GPU here"
		if p.asked {
			note = "no node has a GPU yet"
		}
		p.text("note", "", gutter+8, top+roomHeight/2+4, note)
		return
	}
	// A little air above the highest line keeps it off the markers.
	scale := (roomHeight - 8) / float64(most)
	p.text("unit", "", gutter-8, bottom-float64(most)*scale+4, fmt.Sprint(most))

	y := func(n int64) float64 { return bottom - float64(n)*scale }
	p.element("path", "GPUs held by pods", "class", "held", "d", p.area(y, func(s sample) int64 { return s.held }))
	if idle := p.area(y, func(s sample) int64 { return s.idle }); idle != "" {
		p.element("path", "GPUs held idle by partly bound gangs", "class", "idle", "fill", p.hatch(), "d", idle)
	}
	var d strings.Builder
	for i, s := range p.capacity {
		command := "L"
		if i == 0 {
			command = "M"
		}
		fmt.Fprintf(&d, "%s%s %sH%s", command, num(p.x(s.at)), num(y(s.total)), num(p.x(p.until(i))))
	}
	p.element("path", "GPUs of ready nodes", "class", "total", "d", d.String())
}

// until is when sample i gives way to the next.
func (p *picture) until(i int) timeline.Time {
	if i+1 < len(p.capacity) {
		return p.capacity[i+1].at
	}
	return p.end
}

// area is a path of steps with nothing where the value is 0.
func (p *picture) area(y func(int64) float64, value func(sample) int64) string {
	var d strings.Builder
	for i, s := range p.capacity {
		if n := value(s); n > 0 {
			fmt.Fprintf(&d, "M%s %sV%sH%sV%sZ", num(p.x(s.at)), num(y(0)), num(y(n)), num(p.x(p.until(i))), num(y(0)))
		}
	}
	return d.String()
}
