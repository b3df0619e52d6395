package cli

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/gangctl/gangctl/internal/report"
	"github.com/gangctl/gangctl/internal/verdict"
)

// story tells on stderr how a run goes: a line a case as it ends and, on a
// terminal, a last line that says what is under way.
type story struct {
	out      io.Writer
	terminal bool
	total    int

	mu     sync.Mutex
	n      int
	status string
}

const (
	clearLine     = "\r\x1b[K"
	green         = "\x1b[32m"
	yellow        = "\x1b[33m"
	red           = "\x1b[31m"
	plain         = "\x1b[0m"
	terminalWidth = 79
)

// runs redraws the last line.
func (s *story) runs(done, total int, running []string) {
	if !s.terminal {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status = fmt.Sprintf("%d of %d runs done; %s", done, total, strings.Join(running, ", "))
	if r := []rune(s.status); len(r) > terminalWidth {
		s.status = string(r[:terminalWidth-1]) + "…"
	}
	if len(running) == 0 {
		s.status = ""
	}
	fmt.Fprint(s.out, clearLine+s.status)
}

// reason writes what stands below a case, each thing on a line.
func (s *story) reason(text string) {
	for line := range strings.SplitSeq(strings.ReplaceAll(text, "; ", "\n"), "\n") {
		fmt.Fprintf(s.out, "        %s\n", line)
	}
}

// ended writes a case's line, with the reason beneath it where it did not pass.
func (s *story) ended(c report.Case) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n++
	mark, colour := "✓", green
	switch {
	case c.Verdict.Outcome == verdict.Pass:
	case c.Verdict.Outcome == verdict.NotApplicable:
		mark, colour = "-", yellow
	case c.Claimed:
		mark, colour = "✗", red
	default:
		mark, colour = "✗", yellow
	}
	if s.terminal {
		fmt.Fprint(s.out, clearLine)
		mark = colour + mark + plain
	}
	fmt.Fprintf(s.out, "%s %2d/%d %-32s %-20s %6.1fs\n", mark, s.n, s.total, c.Scenario.Metadata.Name,
		report.Label(c), time.Duration(c.Verdict.Subject.Seconds).Seconds())
	if c.Verdict.Reason != "" {
		s.reason(c.Verdict.Reason)
	}
	if c.Before != nil {
		s.reason(c.Before.String())
	}
	fmt.Fprint(s.out, s.status)
}
