package render

import (
	"encoding/json"
	"io/fs"
	"os"
	"strings"
	"testing"
)

// annotationLimit is the most that an object's annotations may hold, in bytes. kubectl
// apply writes the whole object into one of them, unless it is server-side.
const annotationLimit = 262144

// Some CRDs can't be applied but server-side. So wherever we tell people how to apply a
// bundle, it is that way.
func TestBigCRDs(t *testing.T) {
	tree, c := shipped(t)
	backend, err := c.Release("volcano@v1.14.1")
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Pair("training-operator@v1.9.3", backend)
	if err != nil {
		t.Fatal(err)
	}
	on, _, err := Pair(t.Context(), tree, p, Options{})
	if err != nil {
		t.Fatal(err)
	}
	big := false
	for _, o := range on.Objects {
		text, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		big = big || o.GetName() == "pytorchjobs.kubeflow.org" && len(text) > annotationLimit
	}
	if !big {
		t.Error("the CRD of PyTorchJobs fits into an annotation by now: is this test still of use?")
	}
	err = fs.WalkDir(os.DirFS("../.."), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && strings.HasPrefix(d.Name(), ".") && name != ".":
			return fs.SkipDir
		case !strings.HasSuffix(name, ".md"):
			return nil
		}
		text, err := os.ReadFile("../../" + name)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(text)) {
			if _, command, ok := strings.Cut(line, "kubectl apply"); ok && strings.Contains(command, "bundles/") && !strings.Contains(command, "--server-side") {
				t.Errorf("%s: %q is not server-side", name, strings.TrimSpace(line))
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
