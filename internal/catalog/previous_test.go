package catalog

import (
	"os"
	"testing"
)

func TestPrevious(t *testing.T) {
	c, err := Load(os.DirFS("../.."))
	if err != nil {
		t.Fatal(err)
	}
	tests := map[string]struct{ release, kubernetes, want string }{
		"the one before":             {"volcano@v1.15.0", "v1.34.4", "volcano@v1.14.1"},
		"one that serves it, too":    {"volcano@v1.15.0", "v1.30.14", "volcano@v1.10.0"},
		"not one that is too old":    {"volcano@v1.14.1", "v1.34.4", ""},
		"past one that can't":        {"kube-batch@v0.5.0", "v1.24.17", "kube-batch@v0.3.0"},
		"the oldest":                 {"kube-batch@v0.3.0", "v1.24.17", ""},
		"of a variant, its own kind": {"kube-batch@v0.4.2+pdb", "v1.21.14", "kube-batch@v0.3.0+pdb"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r, err := c.Release(test.release)
			if err != nil {
				t.Fatal(err)
			}
			got := ""
			if p := r.Previous(test.kubernetes); p != nil {
				got = p.String()
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
