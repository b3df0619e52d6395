package lab

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

func TestImages(t *testing.T) {
	im := &Images{Dir: t.TempDir()}
	etcd := filepath.Join(t.TempDir(), "etcd")
	restored := func(key string) bool {
		t.Helper()
		ok, err := im.restore(key, etcd)
		if err != nil {
			t.Fatal(err)
		}
		return ok
	}
	copyTo := func(dir string) error {
		// Of the labs that start at once, one makes it, and none waits.
		if restored("a") {
			t.Error("an image was used that was being made")
		}
		if err := im.keep("a", func(string) error { t.Error("made twice"); return nil }); err != nil {
			t.Error(err)
		}
		at := filepath.Join(dir, "member", "snap")
		return errors.Join(os.MkdirAll(at, 0o700), os.WriteFile(filepath.Join(at, "db"), []byte("held"), 0o600))
	}
	if restored("a") {
		t.Error("there is no image yet")
	}
	if err := im.keep("a", copyTo); err != nil {
		t.Fatal(err)
	}
	if restored("b") {
		t.Error("it is another's")
	}
	if !restored("a") {
		t.Fatal("the image is not used")
	}
	if data, err := os.ReadFile(filepath.Join(etcd, "member", "snap", "db")); err != nil || string(data) != "held" {
		t.Errorf("etcd would hold %q, %v", data, err)
	}

	// Without any, every lab begins with nothing.
	im = nil
	if restored("a") {
		t.Error("an image of nobody")
	}
	if err := im.keep("a", func(string) error { t.Error("made for nobody"); return nil }); err != nil {
		t.Error(err)
	}
}

func TestImageKey(t *testing.T) {
	kinds := func(name string) []*unstructured.Unstructured {
		return []*unstructured.Unstructured{{Object: map[string]any{"metadata": map[string]any{"name": name}}}}
	}
	l := func(change func(*Options)) *Lab {
		o := Options{Binaries: map[string]string{"etcd": "/etcd", "kube-apiserver": "/api", "kwok": "/kwok"}}
		change(&o)
		return &Lab{opts: o}
	}
	same := l(func(*Options) {})
	key, err := same.imageKey(kinds("a"))
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		lab   *Lab
		kinds string
		same  bool
	}{
		"the same":         {same, "a", true},
		"other components": {l(func(o *Options) { o.Binaries["kwok"] = "/other" }), "a", true},
		"kinds":            {same, "b", false},
		"etcd":             {l(func(o *Options) { o.Binaries["etcd"] = "/other" }), "a", false},
		"API server":       {l(func(o *Options) { o.Binaries["kube-apiserver"] = "/other" }), "a", false},
		"flags": {l(func(o *Options) {
			o.Flags = map[string][]string{"kube-apiserver": {"--feature-gates=Gang=true"}}
		}), "a", false},
	} {
		other, err := c.lab.imageKey(kinds(c.kinds))
		if err != nil || (other == key) != c.same {
			t.Errorf("%s: key %s after %s, %v", name, other, key, err)
		}
	}
}
