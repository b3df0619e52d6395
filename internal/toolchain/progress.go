package toolchain

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

const (
	redrawEvery = 250 * time.Millisecond
	printEvery  = 15 * time.Second
)

// progress tells how far the build of one module is: on a terminal in one line
// that is redrawn, elsewhere in a plain line now and then.
type progress struct {
	w        io.Writer
	terminal bool
	label    string

	mu       sync.Mutex
	start    time.Time
	fetched  int
	packages map[string]bool
	compiled int
	stop     func()
}

// say prints a line of its own.
func (p *progress) say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.print(text, true)
}

// begin starts the clock; end stops it.
func (p *progress) begin(text string) {
	p.start = time.Now()
	every := printEvery
	if p.terminal {
		every, text = redrawEvery, p.state()
	}
	p.print(text, !p.terminal)
	quit, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-quit:
				return
			case <-tick.C:
				p.mu.Lock()
				p.print(p.state(), !p.terminal)
				p.mu.Unlock()
			}
		}
	}()
	p.stop = sync.OnceFunc(func() { close(quit); <-gone })
}

// end leaves a terminal's line empty for what comes next, such as an error.
func (p *progress) end() {
	p.stop()
	if p.terminal {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

// done prints the last line of a build that went well.
func (p *progress) done() {
	p.stop()
	p.say(fmt.Sprintf("built, %d packages compiled, %s", p.compiled, p.elapsed()))
}

// expect sets the packages that the binaries consist of. What the build cache
// already has is among them, so a second try ends below the total.
func (p *progress) expect(packages []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.packages = map[string]bool{}
	for _, name := range packages {
		// Nothing is compiled for it.
		if name != "unsafe" {
			p.packages[name] = true
		}
	}
}

// line takes a line of go's stderr and reports whether it was mere progress.
func (p *progress) line(line string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case strings.HasPrefix(line, "go: downloading "):
		p.fetched++
	case p.packages[line]:
		p.compiled++
	default:
		return false
	}
	return true
}

func (p *progress) state() string {
	if p.packages == nil {
		return fmt.Sprintf("fetching sources, %d modules, %s", p.fetched, p.elapsed())
	}
	return fmt.Sprintf("%d of %d packages, %s", p.compiled, len(p.packages), p.elapsed())
}

func (p *progress) elapsed() time.Duration { return time.Since(p.start).Round(time.Second) }

func (p *progress) print(text string, newline bool) {
	line := p.label + ": " + text
	if p.terminal {
		line = "\r\x1b[K" + line
	}
	if newline {
		line += "\n"
	}
	fmt.Fprint(p.w, line)
}

// lineWriter cuts what is written into lines.
type lineWriter struct {
	line func(string)
	rest []byte
}

var _ io.Writer = &lineWriter{}

func (w *lineWriter) Write(data []byte) (int, error) {
	w.rest = append(w.rest, data...)
	for {
		line, rest, found := bytes.Cut(w.rest, []byte("\n"))
		if !found {
			return len(data), nil
		}
		w.line(string(line))
		w.rest = rest
	}
}

// flush hands over a last line that has no end.
func (w *lineWriter) flush() {
	if len(w.rest) > 0 {
		w.line(string(w.rest))
		w.rest = nil
	}
}
