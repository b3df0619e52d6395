package report

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/gangctl/gangctl/internal/timeline"
)

// seconds writes a time as people read it: three digits or so.
func seconds(t timeline.Time) string { return figure(t) + " s" }

// figure is a number of three digits or so. Rates and GPU-seconds are Times too.
func figure(t timeline.Time) string {
	s := time.Duration(t).Seconds()
	switch {
	case s == 0:
		return "0"
	case s < 0.001:
		return "<0.001"
	case s < 0.1:
		return strconv.FormatFloat(s, 'f', 3, 64)
	case s < 10:
		return strconv.FormatFloat(s, 'f', 2, 64)
	case s < 100:
		return strconv.FormatFloat(s, 'f', 1, 64)
	}
	return strconv.FormatFloat(s, 'f', 0, 64)
}

var sixDecimals = regexp.MustCompile(`\b\d+\.\d{6}(s\b)?`)

// plain shortens the exact times in a verdict's sentences for the page. The YAML
// report keeps them.
func plain(text string) string {
	return sixDecimals.ReplaceAllStringFunc(text, func(number string) string {
		bare, isTime := strings.CutSuffix(number, "s")
		f, err := strconv.ParseFloat(bare, 64)
		if err != nil {
			return number
		}
		short := figure(timeline.Time(f * 1e9))
		if isTime {
			short += " s"
		}
		return short
	})
}

// clip shortens text to n runes.
func clip(text string, n int) string {
	r := []rune(text)
	if len(r) <= n {
		return text
	}
	return string(r[:n-1]) + "…"
}

// middle shortens a name to n runes. Its end tells pods apart.
func middle(name string, n int) string {
	r := []rune(name)
	if len(r) <= n {
		return name
	}
	return string(r[:n-9]) + "…" + string(r[len(r)-8:])
}
