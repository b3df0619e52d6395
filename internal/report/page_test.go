package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/xml"
	"html"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gangctl/gangctl/internal/verdict"
)

// examplePage is the page at its fullest, with a case that comes twice.
func examplePage(t *testing.T) []byte {
	t.Helper()
	dir := t.TempDir()
	cases := append(mixed(t, dir), throughputCase(t, dir), twoGangsCase(t, dir, true), twoGangsCase(t, dir, false))
	m := meta()
	m.Operator = "training-operator@v1.9.3/PyTorchJob"
	if _, err := Write(dir, m, cases); err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	return page
}

var (
	scriptElement = regexp.MustCompile(`(?s)<script>(.*?)</script>`)
	styleElement  = regexp.MustCompile(`(?s)<style>.*?</style>`)
	policyHash    = regexp.MustCompile(`script-src '(sha256-[^']+)'`)
)

// element is one of the page, with the names of those around it.
type element struct {
	name   string
	attr   map[string]string
	around []string
}

// elements reads the page. Scripts and styles, which are no XML, are left out.
func elements(t *testing.T, page []byte) (all []element) {
	t.Helper()
	d := xml.NewDecoder(bytes.NewReader(styleElement.ReplaceAll(scriptElement.ReplaceAll(page, nil), nil)))
	d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	var around []string
	for {
		token, err := d.Token()
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		switch x := token.(type) {
		case xml.StartElement:
			e := element{name: x.Name.Local, attr: map[string]string{}, around: append([]string{}, around...)}
			for _, a := range x.Attr {
				e.attr[a.Name.Local] = a.Value
			}
			all, around = append(all, e), append(around, x.Name.Local)
		case xml.EndElement:
			around = around[:len(around)-1]
		}
	}
}

// A browser runs the script only if the policy has its hash.
func TestPolicyLetsTheScriptRun(t *testing.T) {
	page := examplePage(t)
	script, policy := scriptElement.FindSubmatch(page), policyHash.FindStringSubmatch(html.UnescapeString(string(page)))
	if script == nil || policy == nil {
		t.Fatal("the page has no script, or no policy for it")
	}
	sum := sha256.Sum256(script[1])
	if want := "sha256-" + base64.StdEncoding.EncodeToString(sum[:]); policy[1] != want {
		t.Errorf("the policy lets %s run, the script is %s", policy[1], want)
	}
}

// Nothing in the page may point at what is not there, or at two things.
func TestPageIDs(t *testing.T) {
	all := elements(t, examplePage(t))
	ids := map[string]int{}
	for _, e := range all {
		if id := e.attr["id"]; id != "" {
			ids[id]++
		}
	}
	for id, n := range ids {
		if n > 1 {
			t.Errorf("id %s comes %d times", id, n)
		}
	}
	for _, id := range []string{"case-pending-on-shortage", "case-two-gangs", "case-two-gangs-2"} {
		if ids[id] == 0 {
			t.Errorf("no part of the page has the id %s", id)
		}
	}
	for _, e := range all {
		to, local := strings.CutPrefix(e.attr["href"], "#")
		for _, id := range []string{e.attr["aria-labelledby"], e.attr["data-case"], to} {
			if id != "" && ids[id] == 0 && (id != to || local) {
				t.Errorf("<%s> points at #%s, which is not there", e.name, id)
			}
		}
	}
}

func TestSectionIDsNeverCollide(t *testing.T) {
	taken := map[string]bool{}
	for i, name := range []string{"a", "a-2", "a", "a"} {
		want := []string{"case-a", "case-a-2", "case-a-3", "case-a-4"}[i]
		if got := sectionID(name, taken); got != want {
			t.Errorf("case %d, %s: id %s, want %s", i, name, got, want)
		}
	}
}

// What a reader may reach or must be told of has a name, and headings skip no level.
func TestPageIsNamed(t *testing.T) {
	level := 0
	names := map[string]bool{}
	for _, e := range elements(t, examplePage(t)) {
		name := e.attr["aria-label"] + e.attr["aria-labelledby"]
		switch {
		case e.name == "html" && e.attr["lang"] == "":
			t.Error("the page has no language")
		case e.name == "input" && e.around[len(e.around)-1] != "label":
			t.Errorf("the control %v stands in no label", e.attr)
		case e.name == "output" && e.attr["aria-live"] == "":
			t.Error("what was found is not announced")
		case e.name == "svg" && (e.attr["role"] != "img" || name == ""):
			t.Error("a picture has no role or no name")
		case e.attr["class"] == "scroll":
			if e.attr["tabindex"] != "0" || name == "" {
				t.Errorf("the box %v can't be reached with the keyboard, or has no name", e.attr)
			}
			// The case that comes twice has its boxes twice.
			if names[name] && !strings.HasPrefix(name, "two-gangs") {
				t.Errorf("two boxes have the name %s", name)
			}
			names[name] = true
		case len(e.name) == 2 && e.name[0] == 'h' && e.name[1] >= '1' && e.name[1] <= '6':
			n := int(e.name[1] - '0')
			if n > level+1 || n == 1 && level > 0 {
				t.Errorf("<%s> comes after a heading of level %d", e.name, level)
			}
			level = n
		}
	}
}

func TestFind(t *testing.T) {
	c := given("stolen-slot", "recovery", "member-recovery", false, verdict.Fail, "1 of 2 pods of Train are bound")
	s, err := newSection(c, "", "case-stolen-slot")
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range []string{"stolen", "recovery", "member-recovery", "not claimed", "train"} {
		if !strings.Contains(s.Find(), word) {
			t.Errorf("a search for %q does not find the case by %q", word, s.Find())
		}
	}
}
