package report

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gangctl/gangctl/internal/timeline"
)

func TestPictureGolden(t *testing.T) {
	runs, _, err := readRuns(shortageCase(t, t.TempDir(), "pending-on-shortage", true, true).Timeline)
	if err != nil || len(runs) != 2 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	for name, events := range map[string][]timeline.Event{"whole.svg": runs[0], "partly.svg": runs[1]} {
		var b bytes.Buffer
		if err := Picture(&b, events, "pending-on-shortage"); err != nil {
			t.Fatal(err)
		}
		wellFormed(t, name, b.Bytes())
		golden(t, name, b.Bytes())
	}
}

func TestPictureOfNothing(t *testing.T) {
	var b bytes.Buffer
	if err := Picture(&b, nil, "empty"); err != nil {
		t.Fatal(err)
	}
	wellFormed(t, "picture", b.Bytes())
}

// The picture's idle area must be what the judge counts.
func TestFoldAgreesWithTheJudge(t *testing.T) {
	c := shortageCase(t, t.TempDir(), "pending-wrongly", false, true)
	runs, _, err := readRuns(c.Timeline)
	if err != nil {
		t.Fatal(err)
	}
	ch := fold(runs[0])
	var idle timeline.Time
	for i, s := range ch.capacity {
		until := ch.end
		if i+1 < len(ch.capacity) {
			until = ch.capacity[i+1].at
		}
		idle += (until - s.at) * timeline.Time(s.idle)
	}
	if want := c.Verdict.Subject.IdleGPUSeconds; idle != want || idle == 0 {
		t.Errorf("%s GPU-seconds idle in the picture, %s in the verdict", idle, want)
	}
}

func TestRoundsShareLanes(t *testing.T) {
	runs, _, err := readRuns(twoGangsCase(t, t.TempDir(), true).Timeline)
	if err != nil {
		t.Fatal(err)
	}
	ch := fold(runs[0])
	if len(ch.gangs) != 2 || len(ch.gangs[0].lanes) != 6 {
		t.Fatalf("%d gangs, want 2 with 6 lanes", len(ch.gangs))
	}
	uids := map[string]bool{}
	for _, s := range ch.gangs[0].lanes[0].segments {
		uids[s.uid] = true
		if s.to < s.from {
			t.Errorf("a segment ends before it begins: %+v", s)
		}
	}
	if len(uids) != 12 {
		t.Errorf("a lane shows %d pods, want one of each of 12 rounds", len(uids))
	}
}

// A report must not fall with a timeline.
func TestTimelinesThatLack(t *testing.T) {
	for name, x := range map[string]struct {
		file func(dir string, whole []byte) string
		note string
	}{
		"none":    {func(string, []byte) string { return "" }, "No timeline was kept"},
		"missing": {func(dir string, _ []byte) string { return filepath.Join(dir, "no.jsonl") }, "can&#39;t be opened"},
		"empty":   {func(dir string, _ []byte) string { return put(t, dir, nil) }, "The timeline is empty"},
		"cut":     {func(dir string, whole []byte) string { return put(t, dir, whole[:len(whole)/3]) }, "The timeline is cut off"},
		"no end": {func(dir string, whole []byte) string {
			return put(t, dir, whole[:bytes.Index(whole, []byte(`{"seq":20`))])
		}, "has no end"},
		"broken": {func(dir string, whole []byte) string { return put(t, dir, append([]byte("{\n"), whole...)) }, "The timeline is broken"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c := shortageCase(t, dir, "pending-on-shortage", true, true)
			whole, err := os.ReadFile(c.Timeline)
			if err != nil {
				t.Fatal(err)
			}
			c.Timeline = x.file(dir, whole)
			if _, err := Write(dir, meta(), []Case{c}); err != nil {
				t.Fatal(err)
			}
			page, err := os.ReadFile(filepath.Join(dir, "index.html"))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(page), x.note) {
				t.Errorf("the page does not say %q", x.note)
			}
		})
	}
}

func put(t *testing.T, dir string, text []byte) string {
	path := filepath.Join(dir, "timeline.jsonl")
	if err := os.WriteFile(path, text, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// The example is the page at its fullest. -example names a folder to keep it in,
// to look at with a browser.
func TestExample(t *testing.T) {
	dir := *example
	if dir == "" {
		dir = t.TempDir()
	}
	cases := append(mixed(t, dir), throughputCase(t, dir), twoGangsCase(t, dir, true))
	r, err := Write(dir, meta(), cases)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Profiles {
		for _, c := range p.Cases {
			t.Logf("%s: %s %s | %s", c.Name, c.Outcome, c.Reason, c.Control)
		}
	}
	page, err := os.Stat(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	if page.Size() > 1<<20 {
		t.Errorf("the page has %d bytes: too heavy to attach", page.Size())
	}
}
