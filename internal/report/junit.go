package report

import (
	"encoding/xml"
	"io"

	"github.com/gangctl/gangctl/internal/timeline"
	"github.com/gangctl/gangctl/internal/verdict"
)

type junitSuites struct {
	XMLName  xml.Name `xml:"testsuites"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"`
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Skipped  int      `xml:"skipped,attr"`
	Time     string   `xml:"time,attr"`
	Suites   []*junitSuite
}

type junitSuite struct {
	XMLName    xml.Name        `xml:"testsuite"`
	Name       string          `xml:"name,attr"`
	Tests      int             `xml:"tests,attr"`
	Failures   int             `xml:"failures,attr"`
	Errors     int             `xml:"errors,attr"`
	Skipped    int             `xml:"skipped,attr"`
	Time       string          `xml:"time,attr"`
	Timestamp  string          `xml:"timestamp,attr"`
	Properties []junitProperty `xml:"properties>property"`
	Cases      []junitCase     `xml:"testcase"`
}

type junitProperty struct {
	Name  string `xml:"name,attr"`
	Value string `xml:"value,attr"`
}

type junitCase struct {
	Name      string       `xml:"name,attr"`
	Classname string       `xml:"classname,attr"`
	Time      string       `xml:"time,attr"`
	Failure   *junitDetail `xml:"failure"`
	Error     *junitDetail `xml:"error"`
	Skipped   *junitDetail `xml:"skipped"`
}

type junitDetail struct {
	Message string `xml:"message,attr"`
	Type    string `xml:"type,attr,omitempty"`
	Text    string `xml:",chardata"`
}

// messageLength is what CI pages show in a list; the element's text has it all.
const messageLength = 300

// writeJUnit writes a suite per profile. What counts against the backend is a
// failure; what it never promised, and what can't be run here, is skipped.
func (r *ConformanceReport) writeJUnit(w io.Writer) error {
	all := &junitSuites{Name: r.Implementation.String()}
	var whole timeline.Time
	for _, p := range r.Profiles {
		s := &junitSuite{Name: p.Name, Timestamp: r.Date, Tests: len(p.Cases), Properties: r.properties()}
		var sum timeline.Time
		for _, c := range p.Cases {
			t := junitCase{Name: c.Name, Classname: "gangctl." + p.Name, Time: c.Seconds.String()}
			detail := &junitDetail{Message: clip(c.Reason, messageLength), Type: string(c.Outcome), Text: c.Reason}
			switch {
			case c.counts(r.Strict):
				t.Failure = detail
				s.Failures++
			case c.Outcome == verdict.Fail:
				t.Skipped = &junitDetail{Message: clip("not claimed: "+c.Reason, messageLength), Text: c.Reason}
				s.Skipped++
			case c.Outcome == verdict.NotApplicable:
				t.Skipped = &junitDetail{Message: clip(c.Reason, messageLength), Text: c.Reason}
				s.Skipped++
			case c.Outcome != verdict.Pass:
				t.Error = detail
				s.Errors++
			}
			sum += c.Seconds
			s.Cases = append(s.Cases, t)
		}
		s.Time = sum.String()
		whole += sum
		all.Tests += s.Tests
		all.Failures += s.Failures
		all.Errors += s.Errors
		all.Skipped += s.Skipped
		all.Suites = append(all.Suites, s)
	}
	all.Time = whole.String()
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(all); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (r *ConformanceReport) properties() []junitProperty {
	i := r.Implementation
	return []junitProperty{
		{"backend", i.Backend}, {"version", i.Version}, {"kubernetes", i.Kubernetes},
		{"provider", i.Provider}, {"tool", r.Tool}, {"reproduce", r.Reproduce},
	}
}
