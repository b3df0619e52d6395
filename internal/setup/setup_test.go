package setup_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/report"
	"github.com/gangctl/gangctl/internal/setup"
)

var update = flag.Bool("update", false, "write the tables of README.md and docs/matrix.md anew")

// Bundles and cases are data: a copied folder and a copied file show up, and no Go
// is edited.
func TestAddedDataShowsUp(t *testing.T) {
	root := t.TempDir()
	for _, dir := range []string{"bundles", "lab", "conformance", "rbac"} {
		if err := os.CopyFS(filepath.Join(root, dir), os.DirFS("../../"+dir)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.CopyFS(filepath.Join(root, "bundles/volcano/v1.99.0"), os.DirFS("../../bundles/volcano/v1.14.1")); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile("../../conformance/cases/n-minus-two.yaml")
	if err != nil {
		t.Fatal(err)
	}
	text = []byte(strings.ReplaceAll(string(text), "n-minus-two", "added"))
	if err := os.WriteFile(filepath.Join(root, "conformance/cases/added.yaml"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	tree, err := setup.Load(root)
	if err != nil {
		t.Fatal(err)
	}
	if r, err := tree.Catalog.Release("volcano"); err != nil || r.Version != "v1.99.0" {
		t.Errorf("the newest Volcano is %v, %v; want v1.99.0", r, err)
	}
	if _, err := tree.Choose(nil, []string{"added"}); err != nil {
		t.Error(err)
	}
}

// The same data is built in, for a binary outside of a clone. Only the build
// modules can't be.
func TestBuiltIn(t *testing.T) {
	clone, err := setup.Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	builtIn, err := setup.Load("")
	if err != nil {
		t.Fatal(err)
	}
	if builtIn.Root != "" {
		t.Fatalf("a tree was found at %s", builtIn.Root)
	}
	if a, b := table(t, builtIn, nil), table(t, clone, nil); a != b {
		t.Errorf("built in:\n%s\nin the clone:\n%s", a, b)
	}
	if len(builtIn.Cases) != len(clone.Cases) || len(builtIn.Catalog.Components) != len(clone.Catalog.Components) {
		t.Errorf("%d cases and %d components are built in, the clone has %d and %d",
			len(builtIn.Cases), len(builtIn.Catalog.Components), len(clone.Cases), len(clone.Catalog.Components))
	}
}

func TestUnknownNamesOfferTheNearest(t *testing.T) {
	tree, err := setup.Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	for wrong, want := range map[string]string{"n-minus-tow": `did you mean "n-minus-two"?`, "zzz": "there are: ack-tf-smoke-gpu"} {
		if _, err := tree.Choose(nil, []string{wrong}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("case %s: got %v, want %s", wrong, err, want)
		}
	}
	if _, err := tree.Choose([]string{"cor"}, nil); err == nil || !strings.Contains(err.Error(), `did you mean "core"?`) {
		t.Errorf("profile cor: got %v", err)
	}
	target := setup.Target{Backend: "volcano@v1.14.1", Kubernetes: "v1.37.1"}
	if _, err := target.Choose(tree); err == nil || !strings.Contains(err.Error(), "supports Kubernetes >=1.34.0 <1.35.0") {
		t.Errorf("a version outside the range: got %v", err)
	}
}

// shown is a row's outcome; one of earlier data says so.
func shown(t *testing.T, tr *setup.Tree, rows report.Matrix, c *setup.Chosen) string {
	t.Helper()
	of, err := tr.Digest(c)
	if err != nil {
		t.Fatal(err)
	}
	row := rows.Find(c.String())
	if row != nil && row.Of != of {
		return row.Outcome() + " (before the last change of its data)"
	}
	return row.Outcome()
}

// table is the matrix's, from the catalog: the backends, then the operators on them.
func table(t *testing.T, tr *setup.Tree, rows report.Matrix) string {
	t.Helper()
	all, err := tr.Targets(nil)
	if err != nil {
		t.Fatal(err)
	}
	var backends, operators strings.Builder
	backends.WriteString("| backend | version | Kubernetes | the lab runs | gang | a pod joins by | cases |\n| --- | --- | --- | --- | --- | --- | --- |\n")
	operators.WriteString("\n| operator | version | on | Kubernetes | job | cases |\n| --- | --- | --- | --- | --- | --- |\n")
	for _, c := range all {
		r := c.Release
		if p := c.Pair; p != nil {
			fmt.Fprintf(&operators, "| %s | %s | %s | %s | `%s` %s | %s |\n", p.Operator.Operator.Spec.Title, p.Operator.Version, r,
				c.Kubernetes, p.Job.APIVersion, p.Job.Kind, shown(t, tr, rows, c))
			continue
		}
		g := r.Gang()
		object := "labels only"
		if g.Group != nil {
			object = fmt.Sprintf("`%s` %s, `%s`", g.Group.APIVersion, g.Group.Kind, g.Group.MinField)
		}
		fmt.Fprintf(&backends, "| %s | %s | %s | %s | %s | %s | %s |\n", r.Backend.Spec.Title, r.Version, r.Spec.Kubernetes.Range, r.Spec.Kubernetes.Lab,
			object, join(g.Join), shown(t, tr, rows, c))
	}
	return backends.String() + operators.String()
}

// summary is the README's: what there is, a line each, oldest first.
func summary(t *testing.T, tr *setup.Tree) string {
	t.Helper()
	all, err := tr.Targets(nil)
	if err != nil {
		t.Fatal(err)
	}
	var lines strings.Builder
	for _, part := range []struct {
		head string
		of   func(*setup.Chosen) (title, version, more string)
	}{
		{"| backend | versions | a gang is |", func(c *setup.Chosen) (string, string, string) {
			if c.Pair != nil {
				return "", "", ""
			}
			object := "labels"
			if g := c.Release.Gang().Group; g != nil {
				object = g.Kind
			}
			return c.Release.Backend.Spec.Title, c.Release.Version, object
		}},
		{"| operator | versions | jobs |", func(c *setup.Chosen) (string, string, string) {
			if c.Pair == nil {
				return "", "", ""
			}
			return c.Pair.Operator.Operator.Spec.Title, c.Pair.Operator.Version, c.Pair.Job.Kind
		}},
	} {
		fmt.Fprintf(&lines, "%s\n| --- | --- | --- |\n", part.head)
		var titles []string
		versions, more := map[string][]string{}, map[string][]string{}
		for _, c := range all {
			title, version, kind := part.of(c)
			if title == "" {
				continue
			}
			titles = with(titles, title)
			versions[title], more[title] = with(versions[title], version), with(more[title], kind)
		}
		for _, title := range titles {
			fmt.Fprintf(&lines, "| %s | %s | %s |\n", title, strings.Join(versions[title], ", "), strings.Join(more[title], ", "))
		}
		lines.WriteString("\n")
	}
	lines.WriteString("| profile | cases | about |\n| --- | --- | --- |\n")
	for _, p := range tr.Profiles {
		n := 0
		for _, c := range tr.Cases {
			if c.Spec.Profile == p.Name {
				n++
			}
		}
		fmt.Fprintf(&lines, "| `%s` | %d | %s |\n", p.Name, n, p.About)
	}
	return lines.String()
}

func with(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

func join(j catalog.Join) string {
	switch {
	case j.Owner != nil:
		return "owner, a " + j.Owner.Kind
	case j.MinLabel != "":
		return "labels `" + j.Label + "`, `" + j.MinLabel + "`"
	case j.Label != "":
		return "label `" + j.Label + "`"
	case j.Field != "":
		return "field `" + j.Field + "`"
	}
	return "annotation `" + j.Annotation + "`"
}

func TestTables(t *testing.T) {
	tree, err := setup.Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	const matrix = "../../docs/matrix.yaml"
	data, err := os.ReadFile(matrix)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := report.ReadMatrix(matrix, data)
	if err != nil {
		t.Fatal(err)
	}
	generated(t, "../../README.md", summary(t, tree))
	generated(t, "../../docs/matrix.md", table(t, tree, rows))
}

// generated compares the part of a document that is made from data, or writes it.
func generated(t *testing.T, file, want string) {
	t.Helper()
	const open, end = "<!-- made by make golden -->\n", "<!-- end -->"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(text), open)
	if !ok {
		t.Fatalf("%s has no line %q", file, open)
	}
	old, after, ok := strings.Cut(rest, end)
	if !ok {
		t.Fatalf("%s has no line %q", file, end)
	}
	if old == want {
		return
	}
	if !*update {
		t.Fatalf("the table in %s is not that of bundles/; make golden writes it:\n%s", file, want)
	}
	if err := os.WriteFile(file, []byte(before+open+want+end+after), 0o644); err != nil {
		t.Fatal(err)
	}
}
