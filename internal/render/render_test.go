package render

import (
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/gangctl/gangctl/internal/catalog"
)

var update = flag.Bool("update", false, "write the goldens anew")

// shipped is the tree of this clone and its catalog.
func shipped(t *testing.T) (fs.FS, *catalog.Catalog) {
	t.Helper()
	tree := os.DirFS("../..")
	c, err := catalog.Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	return tree, c
}

// render renders a release of the shipped catalog from the Go module cache.
func render(t *testing.T, ref string, components ...string) *Rendered {
	t.Helper()
	tree, c := shipped(t)
	r, err := c.Release(ref)
	if err != nil {
		t.Fatal(err)
	}
	out, err := Release(t.Context(), tree, r, Options{Components: components})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// The goldens hold digests only: upstream's text is not ours to copy.
func TestEveryReleaseIsByteStable(t *testing.T) {
	_, c := shipped(t)
	for _, b := range c.Backends {
		for _, r := range b.Releases {
			t.Run(r.String(), func(t *testing.T) {
				first, second := render(t, r.String()), render(t, r.String())
				if line := firstDifference(first.YAML, second.YAML); line != "" {
					t.Fatalf("the second time it renders otherwise: %s", line)
				}
				if len(first.Objects) == 0 {
					t.Fatal("there are no objects")
				}
				digest(t, b.Metadata.Name+"-"+r.Version, first.YAML)
			})
		}
	}
}

// The pair's own objects with gang scheduling on and off, without the backend's.
func TestEveryOperatorIsByteStable(t *testing.T) {
	tree, c := shipped(t)
	pairs, err := c.Pairs()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range pairs {
		if p.Job.Kind != p.Operator.Kinds()[0] {
			continue // the objects are the same
		}
		t.Run(p.Operator.String()+" on "+p.Backend.String(), func(t *testing.T) {
			on, off, err := Pair(t.Context(), tree, p, Options{})
			if err != nil {
				t.Fatal(err)
			}
			name := p.Operator.Operator.Metadata.Name + "-" + p.Operator.Version
			digest(t, name+"-on-"+path.Base(p.Overlay), on.YAML)
			digest(t, name+"-off", off.YAML)
			// Whoever takes an overlay wants gang scheduling on.
			g := p.Operator.Spec.GangFlag
			if g == nil {
				return
			}
			if _, there, err := flagOf(on.Objects, g.Deployment, g.Flag); err != nil || !there {
				t.Errorf("the overlay does not set %s: %v", g.Flag, err)
			}
			if _, there, err := flagOf(off.Objects, g.Deployment, g.Flag); err != nil || there {
				t.Errorf("the base sets %s: %v", g.Flag, err)
			}
		})
	}
}

// digest compares the text's digest with its golden.
func digest(t *testing.T, name string, text []byte) {
	t.Helper()
	got := fmt.Sprintf("%x\n", sha256.Sum256(text))
	golden := filepath.Join("testdata", name+".sha256")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatalf("%v\nFor a new release, run go test ./internal/render -update", err)
	}
	if got != string(want) {
		t.Errorf("%s: sha256 is %swant %sIf the bundle was meant to change, run go test ./internal/render -update", name, got, want)
	}
}

func TestVolcanoWebhookCertificate(t *testing.T) {
	out := render(t, "volcano@v1.14.1")
	var got []string
	var mounted, issued bool
	for _, o := range out.Objects {
		at := o.GetKind() + "/" + o.GetName()
		if strings.HasPrefix(o.GetName(), "volcano-admission-init") {
			t.Errorf("upstream's certificate hook is still there: %s", at)
		}
		switch o.GetKind() {
		case "Issuer", "Certificate":
			got = append(got, at)
			secret, _, _ := unstructured.NestedString(o.Object, "spec", "secretName")
			issued = issued || secret == "volcano-admission-secret"
		case "Deployment":
			volumes, _, _ := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "volumes")
			mounted = mounted || strings.Contains(fmt.Sprint(volumes), "secretName:volcano-admission-secret")
		}
	}
	slices.Sort(got)
	want := []string{
		"Certificate/volcano-admission", "Certificate/volcano-admission-ca",
		"Issuer/volcano-admission-ca", "Issuer/volcano-admission-selfsigned",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("cert-manager's objects (-want +got):\n%s", diff)
	}
	if !mounted || !issued {
		t.Errorf("volcano-admission-secret: mounted by a Deployment: %t, issued by a Certificate: %t, want both", mounted, issued)
	}
}

func TestComponentOnTop(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "kustomization.yaml"), `
apiVersion: kustomize.config.k8s.io/v1alpha1
kind: Component
patches:
- target: {kind: Deployment, name: volcano-scheduler}
  path: replicas.yaml
`)
	write(t, filepath.Join(dir, "replicas.yaml"), "- {op: replace, path: /spec/replicas, value: 7}\n")

	with, without := render(t, "volcano@v1.14.1", dir), render(t, "volcano@v1.14.1")
	if got := replicas(t, with, "volcano-scheduler"); got != "7" {
		t.Errorf("with the component there are %s replicas, want 7", got)
	}
	if got := replicas(t, without, "volcano-scheduler"); got == "7" {
		t.Error("without the component there are 7 replicas too")
	}
	if w, wo := len(with.Objects), len(without.Objects); w != wo {
		t.Errorf("%d objects with the component, %d without", w, wo)
	}
}

func TestRefused(t *testing.T) {
	const kustomization = "bundles/toy/v1.0.0/kustomization.yaml"
	tests := map[string]struct {
		kustomization string
		components    []string
		want          string
	}{
		"a URL that is not pinned": {
			kustomization: "resources: [https://example.com/other.yaml]",
			want:          "render toy@v1.0.0: /" + kustomization + ": resources[0]: https://example.com/other.yaml is neither in the tree nor among spec.upstream of release.yaml",
		},
		"a component that is not there": {
			kustomization: "resources: []",
			components:    []string{"testdata/nowhere"},
			want:          "render toy@v1.0.0: component testdata/nowhere: /components/0: there is no kustomization.yaml",
		},
		"a patch from the network": {
			kustomization: "patches: [{path: https://example.com/p.yaml}]",
			want:          "render toy@v1.0.0: /" + kustomization + ": patches[0]: https://example.com/p.yaml is neither in the tree nor among spec.upstream of release.yaml",
		},
		"a repository": {
			kustomization: `resources: ["github.com/o/r//x?ref=v1"]`,
			want:          "render toy@v1.0.0: /" + kustomization + ": resources[0]: github.com/o/r//x?ref=v1 is neither in the tree nor among spec.upstream of release.yaml",
		},
		"a URL in a base": {
			kustomization: "resources: [../base]",
			want:          "render toy@v1.0.0: /bundles/toy/v1.0.0/kustomization.yaml: resources[0]: /bundles/toy/base/kustomization.yaml: resources[0]: https://example.com/b.yaml is neither in the tree nor among spec.upstream of release.yaml",
		},
		"an unknown field": {
			kustomization: "ressources: []",
			want:          "render toy@v1.0.0: /" + kustomization + `: invalid Kustomization: json: unknown field "ressources"`,
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tree := fstest.MapFS{
				kustomization:                         {Data: []byte(test.kustomization)},
				"bundles/toy/base/kustomization.yaml": {Data: []byte("resources: [https://example.com/b.yaml]")},
			}
			r := &catalog.Release{
				Backend: &catalog.Backend{Metadata: catalog.Metadata{Name: "toy"}},
				Version: "v1.0.0", Path: "bundles/toy/v1.0.0",
			}
			_, err := Release(t.Context(), tree, r, Options{Components: test.components})
			if err == nil || err.Error() != test.want {
				t.Errorf("got error  %v\nwant error %s", err, test.want)
			}
		})
	}
}

func TestObjects(t *testing.T) {
	got, err := Objects([]byte("---\nkind: A\ncount: 7\n---\n# nothing\n---\nkind: B\n"))
	if n, _, err := unstructured.NestedInt64(got[0].Object, "count"); n != 7 || err != nil {
		t.Errorf("n is %d, %v: want a whole number", n, err)
	}
	if err != nil || len(got) != 2 || got[0].GetKind() != "A" || got[1].GetKind() != "B" {
		t.Errorf("got %v, error %v; want the objects A and B", got, err)
	}
	if _, err := Objects([]byte("kind: [")); err == nil {
		t.Error("broken YAML: got no error")
	}
}

func replicas(t *testing.T, r *Rendered, deployment string) string {
	t.Helper()
	for _, o := range r.Objects {
		if o.GetKind() == "Deployment" && o.GetName() == deployment {
			n, _, err := unstructured.NestedFieldNoCopy(o.Object, "spec", "replicas")
			if err != nil {
				t.Fatal(err)
			}
			return fmt.Sprint(n)
		}
	}
	t.Fatalf("there is no Deployment %s", deployment)
	return ""
}

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		t.Fatal(err)
	}
}

// firstDifference says where two texts part; empty where they don't.
func firstDifference(a, b []byte) string {
	x, y := strings.Split(string(a), "\n"), strings.Split(string(b), "\n")
	for i := range max(len(x), len(y)) {
		switch {
		case i >= len(x):
			return fmt.Sprintf("line %d: the first ends, the second has %q", i+1, y[i])
		case i >= len(y):
			return fmt.Sprintf("line %d: the first has %q, the second ends", i+1, x[i])
		case x[i] != y[i]:
			return fmt.Sprintf("line %d: %q and %q", i+1, x[i], y[i])
		}
	}
	return ""
}
