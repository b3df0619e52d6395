package verdict

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/gangctl/gangctl/internal/strict"
)

// Whatever a timeline holds, there is a verdict, the same each time, or an error that names
// the line.
func FuzzJudge(f *testing.F) {
	passes := newTape()
	bindsAll(passes)
	bindsNone(passes, "binder")
	f.Add(passes.bytes())
	fails := newTape()
	tooLate(fails)
	f.Add(fails.bytes())
	for seed := range 20 {
		f.Add(rapid.Custom(func(t *rapid.T) []byte { return drawHistory(t, seconds, moods...).text() }).Example(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := Judge(bytes.NewReader(data))
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Fatalf("the error names no line: %v", err)
			}
			return
		}
		first, err := strict.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if v, err = Judge(bytes.NewReader(data)); err != nil {
			t.Fatal(err)
		}
		if again, err := strict.Marshal(v); err != nil || !bytes.Equal(first, again) {
			t.Fatalf("judged again, %v:\n%s\n%s", err, first, again)
		}
	})
}
