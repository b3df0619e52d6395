package verdict

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gangctl/gangctl/internal/timeline"
)

// Who holds what is told of the end of the settle window, where a gang is partly bound for
// longer, and not of the first pod.
func TestWhoHeldWhat(t *testing.T) {
	second := timeline.Time(1e9)
	tape := newTape()
	tape.begin(timeline.Subject, shortage)
	tape.node("n1", 4)
	a, b := tape.gang("a", 3), tape.gang("b", 1)
	tape.expect(1, true)
	tape.bind("1s", "n1", b[0])
	begun := tape.now
	tape.bind("1s", "n1", a[0])
	tape.bind("1s", "n1", a[1])
	tape.expect(1, false)
	tape.end("9s")
	v, err := Judge(bytes.NewReader(tape.bytes()))
	if err != nil {
		t.Fatal(err)
	}
	want := &Moment{
		// One second, and the window of three.
		At: timeline.Time(begun) + 4*second, FreeGPUs: 1,
		Holders: []Holder{
			{Gang: "a", Pods: 2, Min: 3, GPUs: 2, Nodes: []string{"n1"}},
			{Gang: "b", Pods: 1, Min: 1, GPUs: 1, Nodes: []string{"n1"}},
		},
	}
	if diff := cmp.Diff(want, v.Subject.Wrong); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestNobodyHeldWhatIsRight(t *testing.T) {
	tape := newTape()
	holdsBack(tape)
	bindsOne(tape, timeline.Control)
	v, err := Judge(bytes.NewReader(tape.bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if v.Subject.Wrong != nil || v.Control.Wrong == nil {
		t.Errorf("subject %v, control %v: a Pass has none, and a control that misbehaves has one", v.Subject.Wrong, v.Control.Wrong)
	}
}
