package report

import "unicode/utf8"

// key is an entry of the legend.
type key struct {
	class, fill, label string
	size               float64
}

// width is what the entry takes, with the gap behind it.
func (k key) width() float64 { return 19 + 6.9*float64(utf8.RuneCountInString(k.label)) + 14 }

// keys explain what the picture uses, and no more.
func (p *picture) keys() []key {
	seen := map[podState]bool{}
	partly := false
	for _, g := range p.gangs {
		partly = partly || len(g.partial) > 0
		for _, l := range g.lanes {
			for _, s := range l.segments {
				seen[s.state] = true
			}
		}
	}
	var all []key
	for _, state := range podStates {
		if seen[state] {
			all = append(all, key{"s " + string(state), "none", string(state), bar(state)})
		}
	}
	if partly {
		all = append(all, key{"idle", p.hatch(), "partly bound, idle", 10})
	}
	return append(all, key{"held", "none", "GPUs held", 10}, key{"capacity", "none", "capacity", 2})
}

// rows breaks the legend where the picture ends.
func (p *picture) rows() [][]key {
	rows := [][]key{nil}
	x := 0.0
	for _, k := range p.keys() {
		if x+k.width()-14 > pictureWidth-12 {
			rows, x = append(rows, nil), 0
		}
		x += k.width()
		rows[len(rows)-1] = append(rows[len(rows)-1], k)
	}
	return rows
}

func (p *picture) legend(rows [][]key, y float64) {
	for _, row := range rows {
		x := 6.0
		for _, k := range row {
			p.element("rect", "", "class", k.class, "fill", k.fill, "x", num(x), "y", num(y+8-k.size/2), "width", "14", "height", num(k.size))
			p.text("key", "", x+19, y+12, k.label)
			x += k.width()
		}
		y += legendHeight
	}
}
