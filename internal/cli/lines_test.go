package cli

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// Lines of two writers come whole, each with its own prefix.
func TestLines(t *testing.T) {
	var out strings.Builder
	var mu sync.Mutex
	a, b := &lines{out: &out, mu: &mu, prefix: "a: "}, &lines{out: &out, mu: &mu, prefix: "b: "}
	fmt.Fprint(a, "one")
	fmt.Fprint(b, "two\nthree\n")
	fmt.Fprint(a, " more\nrest")
	if want := "b: two\nb: three\na: one more\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}
