package report

import (
	"bytes"
	"encoding/xml"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	"github.com/gangctl/gangctl/internal/timeline"
	"github.com/gangctl/gangctl/internal/verdict"
)

var update = flag.Bool("update", false, "write the golden files")
var example = flag.String("example", "", "keep the example report in this folder")

// golden compares with testdata/<name>, or writes it.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), string(got)); d != "" {
		t.Errorf("%s (-want +got; -update writes it):\n%s", file, d)
	}
}

// mixed has a case of every kind.
func mixed(t *testing.T, dir string) []Case {
	again := shortageCase(t, dir, "pending-on-shortage", true, true)
	again.Before = &Before{Outcome: verdict.Fail, Reason: "all-or-nothing: tf was partly bound for 4.000000s", Timeline: filepath.Join(dir, "before.jsonl")}
	return []Case{
		given("webhook", "extended", "webhook", true, verdict.NotApplicable, "the backend has no webhook"),
		again,
		shortageCase(t, dir, "pending-wrongly", false, false),
		given("gang-restart", "extended", "restart", true, verdict.Fail, "step 4: tf: all bound within 30s: 3 of 5 pods of tf are bound"),
		given("restart", "core", "restart", true, verdict.Inconclusive, "volcano-scheduler exited by itself at 3.000000s: exit status 2"),
	}
}

func TestWriteGoldens(t *testing.T) {
	dir := t.TempDir()
	if _, err := Write(dir, meta(), mixed(t, dir)); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"report.yaml", "junit.xml", "ctrf.json", "summary.md", "gang_scheduling.yaml", "index.html"} {
		got, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		golden(t, name, got)
		if bytes.Contains(got, []byte(dir)) {
			t.Errorf("%s names a folder of this machine", name)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
}

func TestBuildIsByteStable(t *testing.T) {
	cases := mixed(t, t.TempDir())
	backwards := slices.Clone(cases)
	slices.Reverse(backwards)
	one, err := yaml.Marshal(Build(meta(), cases))
	if err != nil {
		t.Fatal(err)
	}
	two, err := yaml.Marshal(Build(meta(), backwards))
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(one), string(two)); d != "" {
		t.Errorf("two builds differ:\n%s", d)
	}
	back := &ConformanceReport{}
	if err := yaml.UnmarshalStrict(one, back); err != nil {
		t.Errorf("what was written can't be read: %v", err)
	}
}

func TestExitCode(t *testing.T) {
	pass := given("a", "core", "all-or-nothing", true, verdict.Pass, "")
	for name, x := range map[string]struct {
		cases  []Case
		strict bool
		want   int
	}{
		"nothing":                 {nil, false, 3},
		"only not applicable":     {[]Case{given("b", "core", "f", true, verdict.NotApplicable, "why")}, false, 3},
		"passed":                  {[]Case{pass}, false, 0},
		"claimed fails":           {[]Case{pass, given("b", "core", "f", true, verdict.Fail, "why")}, false, 1},
		"unclaimed fails":         {[]Case{pass, given("b", "core", "f", false, verdict.Fail, "why")}, false, 0},
		"unclaimed fails, strict": {[]Case{pass, given("b", "core", "f", false, verdict.Fail, "why")}, true, 1},
		"inconclusive":            {[]Case{pass, given("b", "core", "f", true, verdict.Inconclusive, "why")}, false, 3},
		"unclaimed inconclusive":  {[]Case{pass, given("b", "core", "f", false, verdict.Inconclusive, "why")}, false, 0},
		"not applicable beside":   {[]Case{pass, given("b", "core", "f", true, verdict.NotApplicable, "why")}, false, 0},
		"a failure comes first": {[]Case{
			given("b", "core", "f", true, verdict.Inconclusive, "why"), given("c", "zoo", "f", true, verdict.Fail, "why")}, false, 1},
		"no verdict": {[]Case{{Claimed: true}}, false, 3},
	} {
		t.Run(name, func(t *testing.T) {
			m := meta()
			m.Strict = x.strict
			if got := Build(m, x.cases).ExitCode(); got != x.want {
				t.Errorf("exit code %d, want %d", got, x.want)
			}
		})
	}
}

func TestLabel(t *testing.T) {
	for want, c := range map[string]Case{
		"Pass":               given("a", "core", "f", false, verdict.Pass, ""),
		"Fail":               given("a", "core", "f", true, verdict.Fail, "why"),
		"Fail (not claimed)": given("a", "core", "f", false, verdict.Fail, "why"),
		"Inconclusive":       given("a", "core", "f", false, verdict.Inconclusive, "why"),
		"NotApplicable":      given("a", "core", "f", true, verdict.NotApplicable, "why"),
	} {
		if got := Label(c); got != want {
			t.Errorf("label %q, want %q", got, want)
		}
	}
}

func TestSummary(t *testing.T) {
	got := Build(meta(), []Case{
		given("a", "core", "f", true, verdict.Pass, ""), given("b", "core", "f", true, verdict.Pass, ""),
		given("c", "core", "g", false, verdict.Fail, "why"),
	}).Summary()
	if want := "volcano@v1.14.1 on Kubernetes v1.34.4: 2 passed, 1 failed (not claimed)"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
}

func TestTextIsEscaped(t *testing.T) {
	const evil = `</title></svg><script>alert("1")</script> & 'more'`
	dir := t.TempDir()
	c := shortageCase(t, dir, "pending-on-shortage", false, true)
	c.Scenario.Spec.Description = evil
	c.Scenario.Spec.Source = "javascript:alert(1)"
	c.Verdict.Backend = evil
	c.Verdict.Reason = evil + "\x00\x1b"
	m := meta()
	m.Backend, m.Command = evil, evil
	if _, err := Write(dir, m, []Case{c}); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	// One script is the page's own.
	if bytes.Count(page, []byte("<script")) != 1 || bytes.Contains(page, []byte(`href="javascript`)) {
		t.Error("the page runs what the data says")
	}
	if !bytes.Contains(page, []byte("&lt;script&gt;")) {
		t.Error("the page does not show the description")
	}
	junit, err := os.ReadFile(filepath.Join(dir, "junit.xml"))
	if err != nil {
		t.Fatal(err)
	}
	wellFormed(t, "junit.xml", junit)

	events := []timeline.Event{
		{Begin: &timeline.Begin{Run: timeline.Subject}},
		{At: 1, Gang: &timeline.Gang{Name: evil, Min: 2, Size: 2}},
		{At: 2, Step: &timeline.Step{Index: 1, Op: "submit", Text: evil}},
		{At: 3, Pod: &timeline.Pod{UID: "1", Name: evil, Gang: evil, Node: evil}},
	}
	var b bytes.Buffer
	if err := Picture(&b, events, evil); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, "picture", b.Bytes())
	if strings.Contains(b.String(), "<script") {
		t.Error("the picture runs what the data says")
	}
}

func wellFormed(t *testing.T, name string, text []byte) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(text))
	for {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Errorf("%s is not well-formed: %v", name, err)
			return
		}
	}
}
