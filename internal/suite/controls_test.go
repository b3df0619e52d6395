package suite

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gangctl/gangctl/internal/timeline"
	"github.com/gangctl/gangctl/internal/verdict"
)

func TestSharedControlSaysWhereItIsFrom(t *testing.T) {
	dir := t.TempDir()
	recorded, kept, mine := filepath.Join(dir, "control.jsonl"), filepath.Join(dir, "controls", "a.jsonl"), filepath.Join(dir, "mine.jsonl")
	s := &Suite{}
	if taken, err := s.takeControl(kept, timeline.Begin{}, mine); taken || err != nil {
		t.Fatalf("took a control that is not there: %t, %v", taken, err)
	}
	write := func(events ...timeline.Event) {
		t.Helper()
		f, err := os.Create(recorded)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		w := timeline.NewWriter(f)
		for _, e := range events {
			if err := w.Write(e); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
	}
	begin := timeline.Begin{
		Format: timeline.Format, Run: timeline.Control, Case: "a", Backend: "volcano", Version: "v1.14.1", Patience: 2,
		Scenario: []byte("{}"),
	}
	write(timeline.Event{Seq: 1, Begin: &begin}, timeline.Event{Seq: 2, At: 5, End: &timeline.End{}})
	// A control that proved nothing is of no use to others.
	for _, v := range []*verdict.Verdict{
		{Outcome: verdict.Inconclusive},
		{Outcome: verdict.Fail, Control: &verdict.Run{}, ControlReason: "the lab did not start"},
	} {
		if err := keepControl(recorded, kept, v); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(kept); err == nil {
			t.Fatalf("the control of %+v was kept", v)
		}
	}
	if err := keepControl(recorded, kept, &verdict.Verdict{Outcome: verdict.Pass, Control: &verdict.Run{}}); err != nil {
		t.Fatal(err)
	}
	begin.Backend, begin.Version, begin.Patience = "kube-batch", "v0.5.0", 1
	if taken, err := s.takeControl(kept, begin, mine); !taken || err != nil {
		t.Fatalf("did not take it: %v", err)
	}
	f, err := os.Open(mine)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var got []timeline.Event
	if err := timeline.Read(f, func(e timeline.Event) error { got = append(got, e); return nil }); err != nil {
		t.Fatal(err)
	}
	b := got[0].Begin
	if len(got) != 2 || b.Backend != "kube-batch" || b.Recorded != "volcano@v1.14.1" || b.Patience != 2 {
		t.Errorf("%d events, begin %+v: want 2, of kube-batch, recorded by volcano@v1.14.1 with patience 2", len(got), b)
	}
}
