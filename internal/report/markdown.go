package report

import (
	"fmt"
	"io"
	"strings"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/verdict"
)

// writeMarkdown writes the summary for a pull request: what did not pass first, then
// everything in a table that is folded away.
func (r *ConformanceReport) writeMarkdown(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### Gang scheduling: %s\n\n**%s**\n\n", r.Implementation, r.total())
	for _, p := range r.Profiles {
		for _, c := range p.Cases {
			if c.Before != nil {
				fmt.Fprintf(&b, "- %s **%s** %s; %s\n", sign(c, r.Strict), c.Name, label(c.Outcome, c.Claimed), inline(clip(c.Before.String(), messageLength)))
			}
			if c.Outcome != verdict.Pass {
				fmt.Fprintf(&b, "- %s **%s** %s: %s\n", sign(c, r.Strict), c.Name, label(c.Outcome, c.Claimed), inline(clip(c.Reason, messageLength)))
				if c.Wrong != nil {
					fmt.Fprintf(&b, "  At %s %s.\n", seconds(c.Wrong.At), inline(whoHeld(c.Wrong)))
				}
			}
		}
	}
	b.WriteString("\n<details><summary>All cases</summary>\n\n| case | profile | outcome | control | idle GPU-seconds |\n| --- | --- | --- | --- | --- |\n")
	for _, p := range r.Profiles {
		for _, c := range p.Cases {
			fmt.Fprintf(&b, "| %s | %s | %s %s | %s | %s |\n", c.Name, p.Name, sign(c, r.Strict), label(c.Outcome, c.Claimed),
				inline(clip(c.Control, messageLength)), figure(c.IdleGPUSeconds.Subject))
		}
	}
	fmt.Fprintf(&b, "\n</details>\n\nAgain: `%s` (%s, %s)\n", r.Reproduce, r.Tool, r.Date)
	_, err := io.WriteString(w, b.String())
	return err
}

// whoHeld says in a sentence who held what.
func whoHeld(m *verdict.Moment) string {
	var all []string
	for _, h := range m.Holders {
		all = append(all, fmt.Sprintf("%s held %s with %d of the %d pods it needs", h.Gang, scenario.Count(int(h.GPUs), "GPU"), h.Pods, h.Min))
	}
	if len(all) == 0 {
		all = []string{"no gang held anything"}
	}
	return verdict.AtMostEight(append(all, scenario.Count(int(m.FreeGPUs), "GPU")+" free"))
}

func sign(c CaseResult, strict bool) string {
	switch {
	case c.counts(strict):
		return "❌"
	case c.Outcome == verdict.Pass:
		return "✅"
	case c.Outcome == verdict.NotApplicable:
		return "➖"
	}
	return "⚠️"
}

// inline keeps text from being taken for Markdown, and on one line.
func inline(text string) string {
	text = strings.Join(strings.Fields(plain(text)), " ")
	return strings.NewReplacer("|", `\|`, "<", "&lt;", "*", `\*`, "_", `\_`, "`", "'").Replace(text)
}
