package report

import (
	"bytes"
	"encoding/xml"
	"strconv"
)

// svg collects elements. All text goes through escape, which is safe in an XML
// file and within HTML alike.
type svg struct{ b bytes.Buffer }

func escape(b *bytes.Buffer, text string) {
	// A bytes.Buffer takes every write.
	_ = xml.EscapeText(b, []byte(text))
}

// element writes one element; attributes are name, value pairs. A title is what a
// reader sees on hovering.
func (s *svg) element(name, title string, attributes ...string) {
	s.tag(name, attributes)
	if title == "" {
		s.b.WriteString("/>\n")
		return
	}
	s.b.WriteString("><title>")
	escape(&s.b, title)
	s.b.WriteString("</title></" + name + ">\n")
}

// open writes a start tag; close it by its name.
func (s *svg) open(name string, attributes ...string) {
	s.tag(name, attributes)
	s.b.WriteString(">\n")
}

func (s *svg) close(name string) { s.b.WriteString("</" + name + ">\n") }

func (s *svg) tag(name string, attributes []string) {
	s.b.WriteString("<" + name)
	for i := 0; i+1 < len(attributes); i += 2 {
		s.b.WriteString(" " + attributes[i] + `="`)
		escape(&s.b, attributes[i+1])
		s.b.WriteString(`"`)
	}
}

func (s *svg) rect(class, title string, x, y, width, height float64) {
	s.element("rect", title, "class", class, "x", num(x), "y", num(y), "width", num(width), "height", num(height))
}

func (s *svg) line(class string, x1, y1, x2, y2 float64) {
	s.element("line", "", "class", class, "x1", num(x1), "y1", num(y1), "x2", num(x2), "y2", num(y2))
}

// text writes a line of text; title, if any, is its whole.
func (s *svg) text(class, title string, x, y float64, text string) {
	s.tag("text", []string{"class", class, "x", num(x), "y", num(y)})
	s.b.WriteString(">")
	escape(&s.b, text)
	if title != "" {
		s.b.WriteString("<title>")
		escape(&s.b, title)
		s.b.WriteString("</title>")
	}
	s.b.WriteString("</text>\n")
}

// num is a coordinate with at most two decimals.
func num(x float64) string {
	return strconv.FormatFloat(float64(int64(x*100+0.5))/100, 'f', -1, 64)
}
