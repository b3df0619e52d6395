package verdict

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

// installs is a case with one expectation, which a wait of the control's own must spoil.
func installs(e scenario.Expect) scenario.Spec {
	return scenario.Spec{
		Steps: []scenario.Step{{Name: "so", Expect: &e}},
		Control: scenario.Control{
			Does:   &scenario.Step{Wait: &scenario.Wait{For: scenario.Duration(time.Second)}},
			Before: "so", Unmet: "so",
		},
	}
}

// installation writes a run: what is seen before the expectation, and while it is watched.
func (t *tape) installation(run string, s *scenario.Scenario, before, during *timeline.Event) {
	if run == timeline.Control {
		s = s.Controlled()
	}
	t.begin(run, s.Spec)
	if before != nil {
		t.add("1ms", *before)
	}
	index := len(s.Spec.Steps)
	t.expect(index, true)
	if during != nil {
		t.add("10s", *during)
	}
	t.add("10s", timeline.Event{Step: &timeline.Step{Index: index, Op: "expect", Done: true}})
	t.end("1ms")
}

func TestInstallation(t *testing.T) {
	none := 0
	denied := scenario.Expect{Denied: &none, For: scenario.Duration(10 * time.Second)}
	refused, unchanged := scenario.Expect{Refusals: &none}, scenario.Expect{Synced: scenario.Unchanged}
	sync := func(s timeline.Sync) *timeline.Event { return &timeline.Event{Sync: &s} }
	forbidden := &timeline.Event{Denied: &timeline.Denied{User: "sa", Verb: "list", Resource: "pods", Count: 2}}
	missing := &timeline.Event{Denied: &timeline.Denied{User: "sa", Verb: "list", Resource: "old", Count: 1, Missing: true}}
	no := &timeline.Event{Refused: &timeline.Refused{Verb: "create", Resource: "pods", Name: "p", Err: "no"}}
	fine, changed := sync(timeline.Sync{}), sync(timeline.Sync{Changed: []string{"Service/a", "Service/b"}})
	tests := map[string]struct {
		expect                            scenario.Expect
		before, during, control, controls *timeline.Event
		want                              Outcome
		reason                            string
	}{
		"none forbidden":           {expect: denied, controls: forbidden, want: Pass},
		"forbidden before":         {expect: denied, before: forbidden, controls: forbidden, want: Fail, reason: "2 requests forbidden: sa may not list pods"},
		"forbidden meanwhile":      {expect: denied, during: forbidden, controls: forbidden, want: Fail, reason: "sa may not list pods"},
		"not served":               {expect: denied, during: missing, controls: forbidden, want: Fail, reason: "sa asks to list old, which is not served"},
		"the control is allowed":   {expect: denied, want: Inconclusive, reason: "the expectation so was met all the same"},
		"none refused":             {expect: refused, control: no, want: Pass},
		"one refused":              {expect: refused, before: no, control: no, want: Fail, reason: "1 request refused: create pods p: no"},
		"unchanged":                {expect: unchanged, before: fine, control: changed, want: Pass},
		"changed":                  {expect: unchanged, before: changed, control: changed, want: Fail, reason: "2 objects changed: Service/a and others"},
		"pruned":                   {expect: unchanged, before: sync(timeline.Sync{Pruned: []string{"Job/a"}}), control: changed, want: Fail, reason: "1 object pruned: Job/a"},
		"failed":                   {expect: unchanged, before: sync(timeline.Sync{Failed: []string{"Job/a: no"}}), control: changed, want: Fail, reason: "1 object failed: Job/a: no"},
		"never synced":             {expect: unchanged, control: changed, want: Fail, reason: "nothing was synced"},
		"the control is unchanged": {expect: unchanged, before: fine, control: fine, want: Inconclusive, reason: "was met all the same"},
		"applied, if changed":      {expect: scenario.Expect{Synced: scenario.Applied}, before: changed, want: Pass},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := &scenario.Scenario{Spec: installs(test.expect)}
			tape := newTape()
			tape.installation(timeline.Subject, s, test.before, test.during)
			tape.installation(timeline.Control, s, test.control, test.controls)
			v, err := Judge(bytes.NewReader(tape.bytes()))
			if err != nil {
				t.Fatal(err)
			}
			if v.Outcome != test.want || !strings.Contains(v.Reason, test.reason) {
				t.Errorf("got %s, %q\nwant %s, with %q", v.Outcome, v.Reason, test.want, test.reason)
			}
		})
	}
}

// A control whose run ends before the expectation that it is to spoil shows nothing.
func TestSpoilsTooSoon(t *testing.T) {
	s := &scenario.Scenario{Spec: installs(scenario.Expect{Synced: scenario.Applied})}
	fine := &timeline.Event{Sync: &timeline.Sync{}}
	tape := newTape()
	tape.installation(timeline.Subject, s, fine, nil)
	tape.begin(timeline.Control, s.Controlled().Spec)
	tape.add("1s", timeline.Event{End: &timeline.End{Err: "step 1, wait: no"}})
	v, err := Judge(bytes.NewReader(tape.bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if v.Outcome != Inconclusive || !strings.Contains(v.Reason, "step 1, wait: no") {
		t.Errorf("got %s, %q, want it Inconclusive", v.Outcome, v.Reason)
	}
}

// An operator may say within the deadline that it refuses a job, when nothing else is seen.
func TestRefusedByTheOperator(t *testing.T) {
	e := scenario.Expect{Gang: "train", Bound: &scenario.Bound{Word: "all"}, OrRefused: true, Within: scenario.Duration(30 * time.Second)}
	tape := newTape()
	tape.begin(timeline.Subject, scenario.Spec{Steps: []scenario.Step{{Expect: &e}}, Control: scenario.Control{Scheduler: scenario.StoppedScheduler}})
	tape.add("1ms", timeline.Event{Gang: &timeline.Gang{Name: "train", Min: 2, Size: 2}})
	tape.expect(1, true)
	tape.add("1s", timeline.Event{Job: &timeline.Job{Name: "train", Conditions: []string{"Failed"}, Failed: "no launcher"}})
	tape.expect(1, false)
	tape.end("1ms")
	v, err := Judge(bytes.NewReader(tape.bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if x := v.Subject.Expectations; len(x) != 1 || !x[0].Met {
		t.Errorf("got %+v, want it met", x)
	}
}
