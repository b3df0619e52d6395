package report

import (
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/verdict"
)

//go:embed page.html
var pageHTML string

//go:embed page.css
var pageCSS string

//go:embed page.js
var pageJS string

// All text that comes from data is escaped by html/template.
var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"seconds": seconds, "figure": figure, "plain": plain, "class": outcomeClass,
	"dash": func(s string) string {
		if s == "" {
			return "–"
		}
		return s
	},
	"count": func(n any, noun string) string { return scenario.Count(reflect.ValueOf(n).Int(), noun) },
	"few":   verdict.AtMostEight,
}).Parse(pageHTML))

// page is what the template shows.
type page struct {
	Report *ConformanceReport
	Style  template.CSS
	// Script is all that may run, by its hash.
	Script     template.JS
	ScriptHash string
	Title      string
	Headline   string
	// Tone colours the headline: good, bad or open.
	Tone     string
	Counts   string
	Profiles []profileView
	Facts    []fact
	// Replay judges a timeline again.
	Replay string
}

type fact struct{ Name, Value string }

type profileView struct {
	Profile
	Sections []section
}

// writePage writes the HTML page. The pictures are read from where the timelines
// are; the links are relative to the page.
func (r *ConformanceReport) writePage(w io.Writer, cases, linked []Case) error {
	v := page{
		Report: r, Style: template.CSS(pageCSS + pictureCSS), Script: template.JS(pageJS), ScriptHash: scriptHash(), Title: r.Implementation.String(),
		Counts: r.total().String(), Facts: r.facts(),
	}
	v.Headline, v.Tone = r.headline()
	byProfile, taken := map[string][]section{}, map[string]bool{}
	for i, c := range cases {
		s, err := newSection(c, linked[i].Timeline, sectionID(c.name(), taken))
		if err != nil {
			return fmt.Errorf("case %s: %w", c.name(), err)
		}
		byProfile[c.profile()] = append(byProfile[c.profile()], s)
		if v.Replay == "" && linked[i].Timeline != "" {
			v.Replay = "gangctl-verify judge " + filepath.ToSlash(linked[i].Timeline)
		}
	}
	for _, p := range r.Profiles {
		v.Profiles = append(v.Profiles, profileView{Profile: p, Sections: byProfile[p.Name]})
	}
	return pageTemplate.Execute(w, v)
}

// sectionID is where a link finds a case: by its name, so that the link holds in the
// next report too. A name that comes again gets a number.
func sectionID(name string, taken map[string]bool) string {
	id := "case-" + name
	for n := 2; taken[id]; n++ {
		id = fmt.Sprintf("case-%s-%d", name, n)
	}
	taken[id] = true
	return id
}

// scriptHash is what the page's own policy lets run.
func scriptHash() string {
	sum := sha256.Sum256([]byte(pageJS))
	return "sha256-" + base64.StdEncoding.EncodeToString(sum[:])
}

// headline is the run's result in a sentence, and its tone.
func (r *ConformanceReport) headline() (text, tone string) {
	failures, open, away, passed := 0, 0, 0, 0
	for _, p := range r.Profiles {
		failures += len(p.FailedCases)
		for _, c := range p.Cases {
			if c.Claimed && c.Outcome == verdict.Inconclusive {
				open++
			}
			if c.Claimed && c.Outcome == verdict.NotApplicable {
				away++
			}
			if c.Claimed && c.Outcome == verdict.Pass {
				passed++
			}
		}
	}
	switch code := r.ExitCode(); {
	case code == 1 && r.Strict:
		return scenario.Count(failures, "case") + " failed", "bad"
	case code == 1:
		return scenario.Count(failures, "claimed case") + " failed", "bad"
	case open > 0:
		return "Inconclusive: " + scenario.Count(open, "claimed case") + " could not be judged", "open"
	case code == 3:
		return "Inconclusive: nothing ran", "open"
	case passed == 0:
		return "No claimed feature was tested", "open"
	case away > 0:
		return "Every claimed feature that can be tested here passed", "good"
	}
	return "Every claimed feature passed", "good"
}

func (r *ConformanceReport) facts() []fact {
	var profiles []string
	for _, p := range r.Profiles {
		profiles = append(profiles, fmt.Sprintf("%s: %s", p.Name, p.Result))
	}
	return slices.DeleteFunc([]fact{
		{"Operator", r.Implementation.Operator}, {"Kubernetes", r.Implementation.Kubernetes}, {"Cluster", r.Implementation.Provider},
		{"Profiles", strings.Join(profiles, ", ")}, {"Date", r.Date}, {"Tool", r.Tool},
	}, func(f fact) bool { return f.Value == "" })
}

// outcomeClass is the style of an outcome's badge; its text says the same.
func outcomeClass(label string) string {
	switch label {
	case string(verdict.Pass):
		return "pass"
	case string(verdict.Fail):
		return "fail"
	case string(verdict.Inconclusive):
		return "open"
	case string(verdict.NotApplicable):
		return "none"
	}
	return "excused"
}
