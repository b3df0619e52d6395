package report

import (
	"fmt"

	"github.com/gangctl/gangctl/internal/verdict"
)

// stepLine is a line under a picture: a step, or a moment that no step is.
type stepLine struct {
	// Number is the step's, as above the picture; ! for other moments.
	Number string
	At     string
	Text   string
	// Result is what came of an expectation; Met colours it.
	Result string
	Met    bool
	Alarm  bool
}

// stepLines lists the marks in the order of time, with what came of each
// expectation. A repeated step is one line.
func stepLines(marks []mark, run *verdict.Run) []stepLine {
	rounds := map[int]int{}
	for _, m := range marks {
		if m.step > 0 {
			rounds[m.step] = max(rounds[m.step], m.round)
		}
	}
	byStep := map[int][]verdict.Expectation{}
	if run != nil {
		for _, x := range run.Expectations {
			byStep[x.Step] = append(byStep[x.Step], x)
		}
	}
	var lines []stepLine
	for _, m := range marks {
		if !m.listed {
			continue
		}
		l := stepLine{Number: m.label, At: seconds(m.at), Text: m.text, Alarm: m.alarm}
		if m.step > 0 {
			l.Number = fmt.Sprint(m.step)
			if n := rounds[m.step]; n > 1 {
				l.Text = fmt.Sprintf("R1–R%d: %s", n, l.Text)
			}
			l.Result, l.Met = came(byStep[m.step])
		}
		lines = append(lines, l)
	}
	return lines
}

// came sums up an expectation over its rounds.
func came(all []verdict.Expectation) (result string, met bool) {
	n := 0
	var first *verdict.Expectation
	for i := range all {
		if all[i].Met {
			n++
		} else if first == nil {
			first = &all[i]
		}
	}
	switch {
	case len(all) == 0:
		return "", false
	case len(all) > 1 && first == nil:
		return fmt.Sprintf("met %d times", n), true
	case len(all) > 1:
		return fmt.Sprintf("met %d of %d times; first not at %s: %s", n, len(all), seconds(first.At), plain(first.Why)), false
	case first == nil:
		return "met at " + seconds(all[0].At), true
	}
	return fmt.Sprintf("not met at %s: %s", seconds(first.At), plain(first.Why)), false
}
