package verdict

import (
	"bytes"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
)

func TestOutcomes(t *testing.T) {
	tests := map[string]struct {
		write  func(*tape)
		want   Outcome
		reason string // a part of it
	}{
		"shortage, held back":        {func(t *tape) { holdsBack(t); bindsOne(t, timeline.Control) }, Pass, ""},
		"shortage, partly bound":     {func(t *tape) { bindsOne(t, timeline.Subject); bindsOne(t, timeline.Control) }, Fail, "1 of 2 pods of a are bound: a-0 on n1 at 1.00"},
		"capacity, bound":            {func(t *tape) { bindsAll(t); bindsNone(t, "binder") }, Pass, ""},
		"no control":                 {holdsBack, Inconclusive, "no control run"},
		"control holds back, too":    {func(t *tape) { holdsBack(t); t.begin(timeline.Control, shortage); controlHoldsBack(t) }, Inconclusive, "on the default scheduler, all-or-nothing held"},
		"another component stopped":  {func(t *tape) { bindsAll(t); bindsNone(t, "bystander") }, Inconclusive, "the scheduler was never stopped"},
		"a component exits":          {func(t *tape) { exits(t); bindsOne(t, timeline.Control) }, Inconclusive, "binder exited by itself at 1.0"},
		"a watch is cut":             {func(t *tape) { cut(t); bindsOne(t, timeline.Control) }, Inconclusive, "the watch of pods was cut"},
		"no expectation was reached": {func(t *tape) { t.begin(timeline.Subject, shortage); t.end("1s") }, Inconclusive, "came to no expectation"},
		"ended before its last step": {func(t *tape) { endsEarly(t); bindsOne(t, timeline.Control) }, Inconclusive, "the run ended behind step 1, before its last step"},
		"broken behind its time":     {func(t *tape) { breaksLater(t); bindsOne(t, timeline.Control) }, Pass, ""},
		"too late":                   {tooLate, Fail, "met only after 31."},
		"watched too briefly":        {func(t *tape) { brief(t); bindsOne(t, timeline.Control) }, Fail, "watched for only 1."},
		"bound with no scheduler":    {func(t *tape) { bindsAll(t); boundWithout(t) }, Inconclusive, "with the scheduler stopped, a-0 was bound to n1"},
		"forbidden":                  {func(t *tape) { forbidden(t); bindsNone(t, "binder") }, Fail, "forbidden: system:serviceaccount:x may not create pods/binding (7 times)"},
		"no scheduler looked":        {func(t *tape) { forbidden(t); bindsNone(t, "binder") }, Fail, "no scheduler has said anything of a-0"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			tape := newTape()
			test.write(tape)
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

// A control that breaks another property than the case's: enough where an operator made
// the pods of jobs.
func TestJobsBreak(t *testing.T) {
	spec := shortage
	spec.Control = scenario.Control{Scheduler: scenario.DefaultScheduler, Breaks: scenario.Deadlock, JobsBreak: scenario.AllOrNothing}
	for operator, want := range map[string]Outcome{"": Inconclusive, "training-operator@v1.9.3/TFJob": Pass} {
		tape := newTape()
		tape.operator = operator
		holdsBackOn(tape, spec)
		bindsOneOn(tape, timeline.Control, spec)
		v, err := Judge(bytes.NewReader(tape.bytes()))
		if err != nil {
			t.Fatal(err)
		}
		if v.Outcome != want {
			t.Errorf("operator %q: got %s, %q, want %s", operator, v.Outcome, v.Reason, want)
		}
	}
}

func controlHoldsBack(t *tape) {
	t.gang("a", 2)
	t.expect(1, true)
	t.add("10s", timeline.Event{Step: &timeline.Step{Index: 1, Op: "expect", Done: true}})
	t.end("1ms")
}

func exits(t *tape) {
	t.begin(timeline.Subject, shortage)
	t.gang("a", 2)
	t.expect(1, true)
	t.add("1s", timeline.Event{Component: &timeline.Component{Name: "binder", State: timeline.Exited, Detail: "signal: killed"}})
	t.expect(1, false)
	t.end("1ms")
}

func cut(t *tape) {
	t.begin(timeline.Subject, shortage)
	t.add("1s", timeline.Event{Cut: &timeline.Cut{What: "pods", Err: "gone"}})
	controlHoldsBack(t)
}

func brief(t *tape) {
	t.begin(timeline.Subject, shortage)
	t.gang("a", 2)
	t.expect(1, true)
	t.add("1s", timeline.Event{Step: &timeline.Step{Index: 1, Op: "expect", Done: true}})
	t.end("1ms")
}

// endsEarly meets the first of two expectations.
func endsEarly(t *tape) {
	spec := shortage
	spec.Steps = append(spec.Steps[:1:1], spec.Steps...)
	holdsBackOn(t, spec)
}

// breaksLater holds back for just as long as it must.
func breaksLater(t *tape) {
	t.begin(timeline.Subject, shortage)
	pods := t.gang("a", 2)
	t.expect(1, true)
	t.bind("10s", "n1", pods...)
	t.expect(1, false)
	t.end("1ms")
}

func tooLate(t *tape) {
	t.begin(timeline.Subject, capacity)
	pods := t.gang("a", 2)
	t.expect(1, true)
	t.bind("31s", "n1", pods...)
	t.expect(1, false)
	t.end("1ms")
	bindsNone(t, "binder")
}

func boundWithout(t *tape) {
	t.begin(timeline.Control, capacity)
	t.add("1ms", timeline.Event{Component: &timeline.Component{Name: "binder", State: timeline.Stopped}})
	pods := t.gang("a", 2)
	t.expect(1, true)
	t.bind("1s", "n1", pods[0])
	t.add("7s", timeline.Event{Step: &timeline.Step{Index: 1, Op: "expect", Done: true}})
	t.end("1ms")
}

func forbidden(t *tape) {
	t.begin(timeline.Subject, capacity)
	t.gang("a", 2)
	t.expect(1, true)
	t.add("30s", timeline.Event{Step: &timeline.Step{Index: 1, Op: "expect", Done: true}})
	t.add("1ms", timeline.Event{Denied: &timeline.Denied{User: "system:serviceaccount:x", Verb: "create", Resource: "pods/binding", Count: 7}})
	t.end("1ms")
}

// A timeline that ends anywhere before its end is never a Pass.
func TestCutOffAnywhere(t *testing.T) {
	tape := newTape()
	holdsBack(tape)
	bindsOne(tape, timeline.Control)
	whole := tape.bytes()
	for n := range len(whole) - 1 {
		v, err := Judge(bytes.NewReader(whole[:n]))
		if err != nil {
			t.Fatalf("cut at byte %d: %v", n, err)
		}
		if v.Outcome != Inconclusive {
			t.Fatalf("cut at byte %d of %d: %s", n, len(whole), v.Outcome)
		}
	}
}

func TestSameBytes(t *testing.T) {
	tape := newTape()
	bindsOne(tape, timeline.Subject)
	bindsOne(tape, timeline.Control)
	var first []byte
	for range 20 {
		v, err := Judge(bytes.NewReader(tape.bytes()))
		if err != nil {
			t.Fatal(err)
		}
		text, err := yaml.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = text
		}
		if !bytes.Equal(first, text) {
			t.Fatalf("the verdict differs:\n%s\n%s", first, text)
		}
	}
}

// begun is the first line of a timeline, with the patience P.
func begun(scenario string) string {
	return `{"seq":1,"at":0,"begin":{"format":"gangctl.dev/timeline/v1alpha1","run":"subject","patience":P,"scenario":` + scenario + "}}\n"
}

func TestBadTimelines(t *testing.T) {
	tests := map[string]struct{ text, want string }{
		"no begin":       {`{"seq":1,"at":0,"end":{}}` + "\n", "line 1: the first event must be begin"},
		"another format": {`{"seq":1,"at":0,"begin":{"format":"x"}}` + "\n", `line 1: format "x" is not "gangctl.dev/timeline/v1alpha1"`},
		"garbage":        {"noise\n", "line 1: "},
		"an expectation of nothing": {
			strings.Replace(begun(`{"spec":{"steps":[{"repeat":{"times":1,"steps":[{"expect":{"gang":"a","for":"1s"}}]}}]}}`), "P", "1", 1),
			"line 1: scenario: spec.steps[0].repeat.steps[0].expect.bound: exactly one of bound, whole, evicted, finished, told, group and refused must be set",
		},
		"a control that shows nothing": {
			strings.Replace(begun(`{"spec":{"control":{"shows":{"gang":"a"}}}}`), "P", "1", 1), "line 1: scenario: spec.control.shows: bound must be set",
		},
		"no patience": {strings.Replace(begun(`{}`), "P", "0", 1), "line 1: settle 0.000000 must not be negative, and patience 0 must be above 0"},
		"a time behind all times": {
			strings.Replace(begun(`{}`), "P", "1", 1) + `{"seq":2,"at":1e12,"end":{}}` + "\n", "line 2: time 1e12: must be at most 1000000000 seconds",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Judge(strings.NewReader(test.text))
			if err == nil || !strings.HasPrefix(err.Error(), test.want) {
				t.Errorf("got %v, want %s", err, test.want)
			}
		})
	}
}

func TestNotApplicable(t *testing.T) {
	tape := newTape()
	tape.begin(timeline.Subject, shortage)
	tape.add("1ms", timeline.Event{End: &timeline.End{NotApplicable: "a JAXJob has no pods for the role ps"}})
	tape.begin(timeline.Control, shortage)
	tape.end("1ms")
	v, err := Judge(bytes.NewReader(tape.bytes()))
	if err != nil {
		t.Fatal(err)
	}
	if v.Outcome != NotApplicable || v.Reason != "a JAXJob has no pods for the role ps" {
		t.Errorf("got %s: %s", v.Outcome, v.Reason)
	}
}
