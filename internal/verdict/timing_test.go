package verdict

import (
	"bytes"
	"testing"
	"time"

	"github.com/gangctl/gangctl/internal/timeline"
)

func TestTiming(t *testing.T) {
	spec := capacity
	spec.Alone = true
	tape := newTape()
	tape.begin(timeline.Subject, spec)
	for _, name := range []string{"a", "b"} {
		p := tape.gang(name, 2)
		tape.bind("1s", "n1", p[0])
		tape.bind("500ms", "n1", p[1])
	}
	tape.end("1ms")
	v, err := Judge(bytes.NewReader(tape.bytes()))
	if err != nil {
		t.Fatal(err)
	}
	got := v.Subject.Timing
	if got == nil || got.Gangs != 2 || got.Pods != 4 {
		t.Fatalf("got %+v, want 2 gangs and 4 pods", got)
	}
	second := timeline.Time(time.Second)
	if want := (Quantiles{P50: second * 3 / 2, P99: second * 3 / 2, Max: second * 3 / 2}); got.QuorumToBound != want {
		t.Errorf("quorum to bound: got %+v, want %+v", got.QuorumToBound, want)
	}
	if want := (Quantiles{P50: second / 2, P99: second / 2, Max: second / 2}); got.Spread != want {
		t.Errorf("spread: got %+v, want %+v", got.Spread, want)
	}
}
