package report

import (
	"math"
	"regexp"
	"strconv"
	"testing"
)

var cssColour = regexp.MustCompile(`--([a-z-]+): #([0-9a-f]{6})[;\s]`)

// colours reads the variables of a style: those of the light scheme, and those of
// the dark one, which begins at the media query.
func colours(t *testing.T, css string) map[string]map[string]string {
	t.Helper()
	schemes := map[string]map[string]string{"light": {}, "dark": {}}
	for _, x := range cssColour.FindAllStringSubmatch(css, -1) {
		scheme := schemes["light"]
		if scheme[x[1]] != "" {
			scheme = schemes["dark"]
		}
		scheme[x[1]] = x[2]
	}
	return schemes
}

// Text needs a contrast of 4.5, and a bar in a picture 3: the levels AA of WCAG 2.2.
func TestContrast(t *testing.T) {
	for name, x := range map[string]struct {
		css   string
		least float64
		pairs [][2]string // what, and on what
	}{
		"page": {pageCSS, 4.5, [][2]string{
			{"text", "page"}, {"text", "card"}, {"text", "code"}, {"mute", "page"}, {"mute", "card"}, {"link", "page"}, {"link", "card"},
			{"text", "bad-bg"}, {"text", "open-bg"}, {"text", "none-bg"}, {"bad", "card"},
			{"good", "good-bg"}, {"bad", "bad-bg"}, {"open", "open-bg"}, {"none", "none-bg"},
		}},
		"picture's text": {pictureCSS, 4.5, [][2]string{{"ink", "ground"}, {"soft", "ground"}, {"ink", "flag"}, {"alarm", "flag"}}},
		"picture's bars": {pictureCSS, 3, [][2]string{
			{"pending", "ground"}, {"bound", "ground"}, {"running", "ground"}, {"finished", "ground"}, {"leaving", "ground"}, {"failed", "ground"}, {"total", "ground"},
		}},
	} {
		for scheme, colour := range colours(t, x.css) {
			for _, p := range x.pairs {
				if got := contrast(t, colour[p[0]], colour[p[1]]); got < x.least {
					t.Errorf("%s, %s: %s on %s has a contrast of %.2f, want %.1f", name, scheme, p[0], p[1], got, x.least)
				}
			}
		}
	}
}

func contrast(t *testing.T, one, two string) float64 {
	t.Helper()
	a, b := luminance(t, one), luminance(t, two)
	return (max(a, b) + 0.05) / (min(a, b) + 0.05)
}

// luminance is a colour's, as WCAG has it: 0 is black and 1 white.
func luminance(t *testing.T, colour string) (sum float64) {
	t.Helper()
	n, err := strconv.ParseUint(colour, 16, 32)
	if err != nil {
		t.Fatalf("no colour %q: %v", colour, err)
	}
	for i, weight := range []float64{0.0722, 0.7152, 0.2126} { // blue, green, red
		c := float64(n>>(8*i)&0xff) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}
