package report

import (
	"fmt"
	"strings"

	"github.com/gangctl/gangctl/internal/scenario"
)

// height is what a gang takes.
func (p *picture) height(g *gangRows) float64 {
	h := float64(len(g.lanes))*p.lane + p.gap
	if !p.thin {
		h += headHeight
	}
	return h
}

// gang draws a gang's lanes, and behind them the times in which it was partly bound.
func (p *picture) gang(g *gangRows, y float64) {
	if p.thin {
		p.thinName(g, y)
	} else {
		p.text("gang", "", 6, y+14, clip(g.title(), 80))
		y += headHeight
	}
	height := float64(len(g.lanes)) * p.lane
	for _, x := range g.partial {
		p.partial(g, x, y-1, height+1)
	}
	if p.thin {
		p.thinLanes(g, y)
		return
	}
	for _, l := range g.lanes {
		short := strings.TrimPrefix(l.name, g.name+"-")
		p.text("pod", l.name, gutter-8, y+11, middle(short, nameLength))
		for _, s := range l.segments {
			left, size := p.x(s.from), bar(s.state)
			p.rect("s "+string(s.state), s.title(l.name), left, y+(p.lane-1-size)/2, max(0.6, p.x(s.to)-left), size)
		}
		y += p.lane
	}
}

// partial shades a time in which the gang was partly bound: hatched where it
// outlasted the settle window, and a light tint where it was the gang's binding.
func (p *picture) partial(g *gangRows, x partial, y, height float64) {
	title := fmt.Sprintf("%s partly bound for %s: at most %d of %d pods, %s idle", g.name, seconds(x.to-x.from), x.pods, g.min, scenario.Count(x.gpus, "GPU"))
	class, fill := "settling", "none"
	if x.to-x.from > p.begin.Settle {
		class, fill = "partial", p.hatch()
	}
	left := p.x(x.from)
	p.element("rect", title, "class", class, "fill", fill, "x", num(left), "y", num(y), "width", num(max(0.6, p.x(x.to)-left)), "height", num(height))
}

// bar is the height of a state's bar: the states differ in more than colour.
func bar(s podState) float64 {
	switch s {
	case pending:
		return 3
	case finished, leaving:
		return 5
	}
	return 10
}

func (s segment) title(pod string) string {
	text := fmt.Sprintf("%s: %s", pod, s.state)
	if s.node != "" {
		text += " on " + s.node
	}
	return fmt.Sprintf("%s, %s to %s", text, seconds(s.from), seconds(s.to))
}

// thinName writes the gang's name beside its lanes, where there is room for it.
func (p *picture) thinName(g *gangRows, y float64) {
	height := float64(len(g.lanes)) * p.lane
	if y < p.named {
		return
	}
	p.named = y + 13
	p.text("pod", g.title(), gutter-8, y+min(height, 13)/2+4, middle(g.title(), nameLength))
}

// thinLanes draws one path per state for the whole gang: hundreds of lanes must
// not make the page heavy.
func (p *picture) thinLanes(g *gangRows, y float64) {
	paths := map[podState]*strings.Builder{}
	for _, l := range g.lanes {
		for _, s := range l.segments {
			if paths[s.state] == nil {
				paths[s.state] = &strings.Builder{}
			}
			left := num(p.x(s.from))
			size := p.lane
			if s.state == pending {
				size = p.lane * 0.45
			}
			top := y + (p.lane-size)/2
			fmt.Fprintf(paths[s.state], "M%s %sH%sV%sH%sZ", left, num(top), num(max(p.x(s.from)+0.6, p.x(s.to))), num(top+size), left)
		}
		y += p.lane
	}
	for _, state := range podStates {
		if d := paths[state]; d != nil {
			p.element("path", fmt.Sprintf("%s: %s", g.title(), state), "class", "s "+string(state), "d", d.String())
		}
	}
}
