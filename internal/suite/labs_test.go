package suite

import (
	"os"
	"path/filepath"
	"testing"
)

// A lab that one case leaves is another's that asks for the same; beyond what may be idle,
// the one that is idle for longest ends.
func TestLabsAreLeftToOthers(t *testing.T) {
	dir := t.TempDir()
	l := &Labs{most: 2}
	leave := func(key string) *place {
		p := &place{key: key, logs: filepath.Join(dir, key)}
		if err := os.Mkdir(p.logs, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := l.leave(p); err != nil {
			t.Fatal(err)
		}
		return p
	}
	ended := func(p *place) bool {
		_, err := os.Stat(p.logs)
		return os.IsNotExist(err)
	}
	a, b := leave("a"), leave("b")
	take := func(key string) *place {
		p, err := l.take(key)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	if take("a") != a || take("a") != nil || take("c") != nil {
		t.Error("take gives what was left, once")
	}
	if err := l.leave(a); err != nil {
		t.Fatal(err)
	}
	c := leave("c")
	if !ended(b) || ended(a) || ended(c) {
		t.Error("b was idle for longest, and is to end alone")
	}
	if err := l.keepOnly("c"); err != nil {
		t.Fatal(err)
	}
	if !ended(a) || ended(c) || take("c") != c {
		t.Error("c is to be kept, and nothing else")
	}
}

func TestNamespacesStay(t *testing.T) {
	p := &place{spaces: map[string]int{}}
	for i, want := range []string{"case", "case-2", "case-3"} {
		if got := p.space("case"); got != want {
			t.Errorf("time %d: %s, want %s", i+1, got, want)
		}
	}
	if got := p.space("other"); got != "other" {
		t.Errorf("got %s, want other", got)
	}
}
