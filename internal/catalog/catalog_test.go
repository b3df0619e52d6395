package catalog

import (
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
)

const (
	backendFile   = "bundles/toy/backend.yaml"
	releaseFile   = "bundles/toy/v1.0.0/release.yaml"
	kustomization = "bundles/toy/v1.0.0/kustomization.yaml"
	componentFile = "lab/etcd/v3.0.0/component.yaml"
)

// toy is a small valid tree.
func toy() fstest.MapFS {
	return fstest.MapFS{
		backendFile: {Data: []byte(`
apiVersion: gangctl.dev/v1alpha1
kind: Backend
metadata: {name: toy}
spec:
  title: Toy
  schedulerName: toy
  scheduler: toy-scheduler
  gang:
    group: {apiVersion: toy.dev/v1, kind: PodGroup, resource: podgroups, minField: spec.min}
    join: {label: toy.dev/group}
`)},
		releaseFile: {Data: []byte(`
apiVersion: gangctl.dev/v1alpha1
kind: Release
spec:
  kubernetes: {range: ">=1.34.0 <1.35.0", source: its go.mod, lab: v1.34.4}
  upstream:
  - url: https://example.com/all.yaml
    module: example.com/toy@v1.0.0
    path: all.yaml
    sha256: aa00000000000000000000000000000000000000000000000000000000000000
  build: {binaries: {toy-scheduler: example.com/toy/cmd}, diskMiB: 100}
  processes:
  - deployment: toy-system/toy
    binary: toy-scheduler
    kubeconfigFlag: --kubeconfig
    listen: [{port: 8080, flag: "--port={port}"}]
`)},
		kustomization: {Data: []byte("resources: []\n")},
		componentFile: {Data: []byte(`
apiVersion: gangctl.dev/v1alpha1
kind: Component
spec:
  build: {binaries: {etcd: go.etcd.io/etcd/server/v3}, diskMiB: 100}
`)},
	}
}

func TestShippedTreeLoads(t *testing.T) {
	c, err := Load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Components) == 0 {
		t.Error("there are no components of the lab")
	}
	for _, b := range c.Backends {
		for _, r := range b.Releases {
			if _, err := c.Component("kubernetes", r.Spec.Kubernetes.Lab); err != nil {
				t.Errorf("%s: the lab cannot run the Kubernetes it asks for: %v", r, err)
			}
			if got, err := c.Release(r.String()); err != nil || got != r {
				t.Errorf("Release(%q) is %v, error %v", r.String(), got, err)
			}
		}
	}
}

func TestInvalidTrees(t *testing.T) {
	swap := func(file, from, to string) func(*testing.T, fstest.MapFS) {
		return func(t *testing.T, tree fstest.MapFS) {
			before := string(tree[file].Data)
			if !strings.Contains(before, from) {
				t.Fatalf("%s does not have %q", file, from)
			}
			tree[file].Data = []byte(strings.Replace(before, from, to, 1))
		}
	}
	copies := func(fields string) func(*testing.T, fstest.MapFS) {
		return func(t *testing.T, tree fstest.MapFS) {
			swap(releaseFile, "diskMiB: 100}", "diskMiB: 100, copies: [{"+fields+"}]}")(t, tree)
			tree["bundles/toy/v1.0.0/build/go.mod"] = &fstest.MapFile{}
		}
	}
	move := func(from, to string) func(*testing.T, fstest.MapFS) {
		return func(_ *testing.T, tree fstest.MapFS) { tree[to] = tree[from]; delete(tree, from) }
	}
	tests := map[string]struct {
		spoil func(*testing.T, fstest.MapFS)
		want  string
	}{
		"no backend":             {move(backendFile, "elsewhere"), "open " + backendFile + ": file does not exist"},
		"wrong kind":             {swap(backendFile, "kind: Backend", "kind: Release"), backendFile + `: apiVersion and kind must be gangctl.dev/v1alpha1 Backend, not "gangctl.dev/v1alpha1" "Release"`},
		"wrong apiVersion":       {swap(releaseFile, "v1alpha1", "v1"), releaseFile + `: apiVersion and kind must be gangctl.dev/v1alpha1 Release, not "gangctl.dev/v1" "Release"`},
		"backend's name":         {swap(backendFile, "name: toy", "name: toys"), backendFile + `: metadata.name: "toys" must be the folder's name, "toy"`},
		"backend's title":        {swap(backendFile, "title: Toy", `title: ""`), backendFile + ": spec.title: must be set"},
		"join with two keys":     {swap(backendFile, "label: toy.dev/group", "label: toy.dev/group, annotation: toy.dev/group"), backendFile + ": spec.gang.join: exactly one of annotation, label, field and owner must be set"},
		"join with no key":       {swap(backendFile, "join: {label: toy.dev/group}", "join: {}"), backendFile + ": spec.gang.join: exactly one of annotation, label, field and owner must be set"},
		"group without minField": {swap(backendFile, ", minField: spec.min", ""), backendFile + ": spec.gang.group: apiVersion, kind, resource and minField must be set"},
		"unknown field":          {swap(releaseFile, "source: its go.mod", "sauce: its go.mod"), releaseFile + `: unknown field "spec.kubernetes.sauce"`},
		"no release.yaml":        {move(releaseFile, "elsewhere"), "open " + releaseFile + ": file does not exist"},
		"no kustomization.yaml":  {move(kustomization, "elsewhere"), releaseFile + ": no kustomization.yaml in bundles/toy/v1.0.0"},
		"no releases": {
			func(_ *testing.T, tree fstest.MapFS) { delete(tree, releaseFile); delete(tree, kustomization) },
			backendFile + ": no version folder with a release.yaml beside it",
		},
		"bad version folder":        {move(releaseFile, "bundles/toy/v1.0/release.yaml"), `bundles/toy/v1.0/release.yaml: the folder's name is the version and must look like v1.2.3, not "v1.0"`},
		"version folder without v":  {move(releaseFile, "bundles/toy/1.0.0/release.yaml"), `bundles/toy/1.0.0/release.yaml: the folder's name is the version and must look like v1.2.3, not "1.0.0"`},
		"lab version outside range": {swap(releaseFile, "lab: v1.34.4", "lab: v1.35.0"), releaseFile + ": spec.kubernetes.lab: toy@v1.0.0 supports Kubernetes >=1.34.0 <1.35.0 (its go.mod), not v1.35.0"},
		"bad range":                 {swap(releaseFile, ">=1.34.0 <1.35.0", "about 1.34"), releaseFile + `: spec.kubernetes.range: "about 1.34": improper constraint: "about 1.34"`},
		"plain http":                {swap(releaseFile, "https://", "http://"), releaseFile + `: spec.upstream[0].url: "http://example.com/all.yaml" must begin with https://`},
		"module without version":    {swap(releaseFile, "toy@v1.0.0", "toy"), releaseFile + `: spec.upstream[0].module: "example.com/toy" must be path@version`},
		"bad digest length":         {swap(releaseFile, "sha256: aa", "sha256: a"), releaseFile + ": spec.upstream[0]: path must be set and sha256 must have 64 hex digits"},
		"build without binaries":    {swap(releaseFile, "{toy-scheduler: example.com/toy/cmd}", "{}"), releaseFile + ": spec.build: binaries and diskMiB must be set"},
		"binary not in the build":   {swap(releaseFile, "binary: toy-scheduler", "binary: vc-scheduler"), releaseFile + `: spec.processes[0].binary: "vc-scheduler" is not one of spec.build.binaries`},
		"deployment's namespace":    {swap(releaseFile, "toy-system/toy", "toy"), releaseFile + `: spec.processes[0].deployment: "toy" must be namespace/name`},
		"listen without {port}":     {swap(releaseFile, "={port}", "=80"), releaseFile + ": spec.processes[0].listen[0]: port must be 1 to 65535 and flag, or in.value, must contain {port}"},
		"listen in without {port}":  {swap(releaseFile, `flag: "--port={port}"`, `in: {file: /c.yaml, field: port, value: "80"}`), releaseFile + ": spec.processes[0].listen[0]: port must be 1 to 65535 and flag, or in.value, must contain {port}"},
		"listen in without field":   {swap(releaseFile, `flag: "--port={port}"`, `in: {file: /c.yaml, value: "{port}"}`), releaseFile + ": spec.processes[0].listen[0].in: file and field must be set, and no flag"},
		"listen twice":              {swap(releaseFile, `{port: 8080,`, `{port: 8080, in: {file: /c.yaml, field: port, value: "{port}"},`), releaseFile + ": spec.processes[0].listen[0].in: file and field must be set, and no flag"},
		"leader election, no value": {swap(releaseFile, "kubeconfigFlag: --kubeconfig", "kubeconfigFlag: --kubeconfig\n    leaderElectIn: {file: /c.yaml, field: elect}"), releaseFile + ": spec.processes[0].leaderElectIn: file, field and value must be set, and no leaderElectFlag"},
		"component without build":   {swap(componentFile, "diskMiB: 100", "diskMiB: 0"), componentFile + ": spec.build: binaries and diskMiB must be set"},
		"copy without version":      {copies("module: example.com/up, to: copies/up"), releaseFile + `: spec.build.copies[0].module: "example.com/up" must be path@version`},
		"copy without a place":      {copies("module: example.com/up@v1.0.0"), releaseFile + `: spec.build.copies[0].to: "" must be a path below the build folder`},
		"copy outside":              {copies("module: example.com/up@v1.0.0, to: ../up"), releaseFile + `: spec.build.copies[0].to: "../up" must be a path below the build folder`},
		"copy over the build":       {copies("module: example.com/up@v1.0.0, to: ."), releaseFile + `: spec.build.copies[0].to: "." must be a path below the build folder`},
		"added from outside":        {copies("module: example.com/up@v1.0.0, to: copies/up, add: /files"), releaseFile + `: spec.build.copies[0].add: "/files" must be a path below the build folder`},
		"added from nowhere":        {copies("module: example.com/up@v1.0.0, to: copies/up, add: files/up"), releaseFile + ": spec.build.copies[0].add: there is no folder bundles/toy/v1.0.0/build/files/up"},
		"added is a file":           {copies("module: example.com/up@v1.0.0, to: copies/up, add: go.mod"), releaseFile + ": spec.build.copies[0].add: there is no folder bundles/toy/v1.0.0/build/go.mod"},
		"generate without copies":   {swap(releaseFile, "diskMiB: 100}", "diskMiB: 100, generate: ./generate}"), releaseFile + `: spec.build.generate: "./generate" must be a package of the build module, ./name, and there must be copies to write into`},
		"generate from elsewhere":   {swap(releaseFile, "diskMiB: 100}", "diskMiB: 100, copies: [{module: example.com/up@v1.0.0, to: copies/up}], generate: example.com/up}"), releaseFile + `: spec.build.generate: "example.com/up" must be a package of the build module, ./name, and there must be copies to write into`},
		"flags of no binary":        {swap(componentFile, "spec:", "spec:\n  flags: {etcdctl: [--v=1]}"), componentFile + `: spec.flags: "etcdctl" is not one of spec.build.binaries`},
		"bad component version":     {move(componentFile, "lab/etcd/main/component.yaml"), `lab/etcd/main/component.yaml: the folder's name is the version and must look like v1.2.3, not "main"`},
	}
	if _, err := Load(toy()); err != nil {
		t.Fatalf("the tree is invalid before it is broken: %v", err)
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tree := toy()
			test.spoil(t, tree)
			_, err := Load(tree)
			if err == nil || err.Error() != test.want {
				t.Errorf("got error  %v\nwant error %s", err, test.want)
			}
		})
	}
}

// An embedded tree has no build modules: what they add can only be looked for in a clone.
func TestEmbeddedTreeHasNoFilesToAdd(t *testing.T) {
	tree := toy()
	tree[releaseFile].Data = []byte(strings.Replace(string(tree[releaseFile].Data), "diskMiB: 100}",
		"diskMiB: 100, copies: [{module: example.com/up@v1.0.0, to: copies/up, add: files/up}]}", 1))
	c, err := Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	m := c.Backends[0].Releases[0].Modules()[0]
	want := []Copy{{Module: "example.com/up@v1.0.0", To: "copies/up", Add: "files/up"}}
	if diff := cmp.Diff(want, m.Copies); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestVersionsAreOrderedBySemver(t *testing.T) {
	tree := toy()
	for _, v := range []string{"v1.14.1", "v1.9.0", "v1.14.1-rc.2"} {
		tree["bundles/toy/"+v+"/release.yaml"] = tree[releaseFile]
		tree["bundles/toy/"+v+"/kustomization.yaml"] = tree[kustomization]
	}
	for _, v := range []string{"v3.10.0", "v3.9.0"} {
		tree["lab/etcd/"+v+"/component.yaml"] = tree[componentFile]
	}
	c, err := Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range c.Backends[0].Releases {
		got = append(got, r.Version)
	}
	if diff := cmp.Diff([]string{"v1.0.0", "v1.9.0", "v1.14.1-rc.2", "v1.14.1"}, got); diff != "" {
		t.Errorf("releases (-want +got):\n%s", diff)
	}
	if r, err := c.Release("toy"); err != nil || r.Version != "v1.14.1" {
		t.Errorf(`Release("toy") is %v, error %v; want v1.14.1`, r, err)
	}
	if k, err := c.Newest("etcd"); err != nil || k.Version != "v3.10.0" {
		t.Errorf(`Newest("etcd") is %v, error %v; want v3.10.0`, k, err)
	}
	if k, err := c.Newest("kwok"); err == nil {
		t.Errorf(`Newest("kwok") is %v, want an error`, k)
	}
}

// Adding a version is adding a folder of data: no Go changes.
func TestAddedVersionShowsUp(t *testing.T) {
	root := t.TempDir()
	if err := os.CopyFS(filepath.Join(root, "bundles"), os.DirFS("../../bundles")); err != nil {
		t.Fatal(err)
	}
	volcano := filepath.Join(root, "bundles", "volcano")
	newest := func() *Release {
		t.Helper()
		c, err := Load(os.DirFS(root))
		if err != nil {
			t.Fatal(err)
		}
		r, err := c.Release("volcano")
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	before := newest()
	if err := os.CopyFS(filepath.Join(volcano, "v99.0.0"), os.DirFS(filepath.Join(volcano, before.Version))); err != nil {
		t.Fatal(err)
	}
	if after := newest(); after.String() != "volcano@v99.0.0" || before.String() == after.String() {
		t.Errorf("the newest was %s and is %s, want volcano@v99.0.0", before, after)
	}
}

func TestUnknownNamesOfferTheNearest(t *testing.T) {
	c := &Catalog{Backends: []*Backend{
		{Metadata: Metadata{Name: "volcano"}, Releases: []*Release{{Version: "v1.9.0"}, {Version: "v1.14.1"}}},
		{Metadata: Metadata{Name: "kube-batch"}},
	}}
	tests := map[string]struct{ ref, want string }{
		"misspelt backend": {"Volcanoo", `unknown backend "Volcanoo": did you mean "volcano"? (there are: kube-batch, volcano)`},
		"a letter short":   {"volcno@v1.14.1", `unknown backend "volcno": did you mean "volcano"? (there are: kube-batch, volcano)`},
		"near version":     {"volcano@v1.14.2", `unknown version of volcano "v1.14.2": did you mean "v1.14.1"? (there are: v1.14.1, v1.9.0)`},
		"nothing like it":  {"zzz", `unknown backend "zzz" (there are: kube-batch, volcano)`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := c.Release(test.ref)
			if err == nil || err.Error() != test.want {
				t.Errorf("got %v, error %v\nwant error %s", r, err, test.want)
			}
		})
	}
}

func TestSupports(t *testing.T) {
	r := &Release{
		Backend: &Backend{Metadata: Metadata{Name: "toy"}}, Version: "v1.0.0",
		Spec: ReleaseSpec{Bundle: Bundle{Kubernetes: KubernetesRange{Range: ">=1.34.0 <1.35.0", Source: "its go.mod"}}},
	}
	tests := map[string]struct{ kubernetes, want string }{
		"inside":            {kubernetes: "v1.34.4"},
		"without v":         {kubernetes: "1.34.0"},
		"build metadata":    {kubernetes: "v1.34.4+k3s1"},
		"below":             {"v1.33.9", "toy@v1.0.0 supports Kubernetes >=1.34.0 <1.35.0 (its go.mod), not v1.33.9"},
		"above":             {"v1.35.0", "toy@v1.0.0 supports Kubernetes >=1.34.0 <1.35.0 (its go.mod), not v1.35.0"},
		"not even a number": {"latest", `kubernetes version "latest": invalid semantic version`},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := ""
			if err := r.Supports(test.kubernetes); err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestReleasesOwnGangReplacesTheBackends(t *testing.T) {
	r := &Release{Backend: &Backend{Spec: BackendSpec{Gang: Gang{Join: Join{Label: "new"}}}}}
	if got := r.Gang().Join.Label; got != "new" {
		t.Errorf("the gang joins by %q, want the backend's label", got)
	}
	r.Spec.Gang = &Gang{Join: Join{Annotation: "old"}}
	if diff := cmp.Diff(*r.Spec.Gang, r.Gang()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestModules(t *testing.T) {
	c, err := Load(toy())
	if err != nil {
		t.Fatal(err)
	}
	r, k := c.Backends[0].Releases[0], c.Components[0]
	r.Spec.Parts = map[string]Build{"webhook": {Binaries: map[string]string{"toy-webhook": "example.com/toy/webhook"}, DiskMiB: 1}}
	want := []Module{
		{Name: "toy@v1.0.0", Path: "bundles/toy/v1.0.0/build", Build: *r.Spec.Build},
		{Name: "toy@v1.0.0-webhook", Path: "bundles/toy/v1.0.0/webhook/build", Build: r.Spec.Parts["webhook"]},
		{Name: "etcd@v3.0.0", Path: "lab/etcd/v3.0.0/build", Build: k.Spec.Build},
	}
	if diff := cmp.Diff(want, append(r.Modules(), k.Module())); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	r.Spec.Build, r.Spec.Parts = nil, nil
	if m := r.Modules(); len(m) > 0 {
		t.Errorf("a release that builds nothing has the modules %v", m)
	}
}

// A build folder's go.mod hides the folder from go:embed, so the modules that the
// catalog speaks of can only be looked for in a clone.
func TestShippedModulesAreThere(t *testing.T) {
	tree := os.DirFS("../..")
	c, err := Load(tree)
	if err != nil {
		t.Fatal(err)
	}
	var modules []Module
	for _, k := range c.Components {
		modules = append(modules, k.Module())
	}
	for _, b := range c.Backends {
		for _, r := range b.Releases {
			modules = append(modules, r.Modules()...)
		}
	}
	for _, o := range c.Operators {
		for _, r := range o.Releases {
			modules = append(modules, r.Modules()...)
		}
	}
	for _, m := range modules {
		gomod, err := fs.ReadFile(tree, m.Path+"/go.mod")
		if err != nil {
			t.Errorf("%s: %v", m.Name, err)
			continue
		}
		lines := strings.Fields(string(gomod))
		for name, pkg := range m.Binaries {
			if !slices.ContainsFunc(lines, func(s string) bool { return s == pkg }) {
				t.Errorf("%s: go.mod has no tool line for %s, %s", m.Name, name, pkg)
			}
		}
	}
}
