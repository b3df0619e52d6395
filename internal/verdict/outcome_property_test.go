package verdict

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// drawCase draws a subject and a control of the same case.
func drawCase(t *rapid.T) (subject, control *history) {
	how := drawControl(t)
	subject = drawHistory(t, seconds, "wild", "tidy", "tidy", "tidy")
	if how.Scheduler == scenario.StoppedScheduler {
		control = drawHistory(t, seconds, "wild", "stopped", "stopped", "stopped")
	} else {
		control = drawHistory(t, seconds, "wild")
	}
	subject.spec.Control = how
	control.begin.Run = timeline.Control
	return subject, control
}

func naiveCase(subject, control *history) Outcome {
	switch outcome := subject.naiveOutcome(); {
	case outcome == Inconclusive || control == nil:
		return Inconclusive
	case outcome == Pass && !control.misbehaved(subject.spec.Control):
		return Inconclusive
	default:
		return outcome
	}
}

// A case has the outcome that its two runs have by what the properties, the expectations
// and the control come to.
func TestPropertyOutcome(t *testing.T) {
	outcomes := map[Outcome]int{}
	rapid.Check(t, func(t *rapid.T) {
		subject, control := drawCase(t)
		text := append(subject.text(), control.text()...)
		v, err := Judge(bytes.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		outcomes[v.Outcome]++
		if want := subject.naiveOutcome(); v.Subject.Outcome != want {
			t.Fatalf("subject: %s, %s; want %s\n%s", v.Subject.Outcome, v.Subject.Reason, want, text)
		}
		if v.Control != nil && v.Control.Outcome != control.naiveOutcome() {
			t.Fatalf("control: %s, %s; want %s\n%s", v.Control.Outcome, v.Control.Reason, control.naiveOutcome(), text)
		}
		if want := naiveCase(subject, control); v.Outcome != want {
			t.Fatalf("%s, %s; want %s\n%s", v.Outcome, v.Reason, want, text)
		}
	})
	t.Log(outcomes)
}

// Cut at any event, a case is Inconclusive, or Fail where only its control is cut: never a Pass.
func TestPropertyCutCase(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		subject, control := drawCase(t)
		text := append(subject.text(), control.text()...)
		lines := bytes.SplitAfter(text, []byte("\n"))
		n := rapid.IntRange(0, len(lines)-2).Draw(t, "cut")
		v, err := Judge(bytes.NewReader(bytes.Join(lines[:n], nil)))
		if err != nil {
			t.Fatal(err)
		}
		want := Inconclusive
		if begun := n >= len(subject.events)+2; begun && subject.naiveOutcome() == Fail {
			want = Fail
		}
		if v.Outcome != want {
			t.Fatalf("cut behind line %d of %d: %s, %s; want %s\n%s", n, len(lines), v.Outcome, v.Reason, want, text)
		}
	})
}
