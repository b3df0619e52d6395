package scenario

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gangctl/gangctl/internal/timeline"
)

func TestBoundRoundTrip(t *testing.T) {
	tests := map[string]struct {
		text  string
		want  Bound
		words string
	}{
		"none":   {`"none"`, Bound{Word: "none"}, "none"},
		"all":    {`"all"`, Bound{Word: "all"}, "all"},
		"number": {`4`, Bound{Count: 4}, "4"},
		"roles":  {`{"ps":1,"worker":2}`, Bound{Roles: map[string]int{"ps": 1, "worker": 2}}, "1 ps + 2 worker"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var got Bound
			if err := json.Unmarshal([]byte(test.text), &got); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("read (-want +got):\n%s", diff)
			}
			if text, err := json.Marshal(got); err != nil || string(text) != test.text {
				t.Errorf("written as %s, error %v; want %s", text, err, test.text)
			}
			if got.String() != test.words {
				t.Errorf("in words %q, want %q", got, test.words)
			}
		})
	}
	for _, text := range []string{`"most"`, `1.5`, `true`, `[1]`, `{"ps":"one"}`} {
		var got Bound
		if err := json.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s is read as %s, want an error", text, got)
		}
	}
}

func TestDuration(t *testing.T) {
	tests := map[string]struct {
		duration time.Duration
		want     string
	}{
		"nothing":           {0, "0s"},
		"milliseconds":      {500 * time.Millisecond, "500ms"},
		"seconds":           {30 * time.Second, "30s"},
		"ten minutes":       {10 * time.Minute, "10m"},
		"minutes, seconds":  {90 * time.Second, "1m30s"},
		"an hour":           {time.Hour, "1h"},
		"hours and minutes": {80 * time.Minute, "1h20m"},
		"hours and seconds": {time.Hour + 10*time.Second, "1h0m10s"},
		"negative":          {-time.Minute, "-1m"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			text, err := json.Marshal(Duration(test.duration))
			if err != nil || string(text) != `"`+test.want+`"` {
				t.Errorf("written as %s, error %v; want %q", text, err, test.want)
			}
			var back Duration
			if err := json.Unmarshal(text, &back); err != nil || back != Duration(test.duration) {
				t.Errorf("read back as %s, error %v", back, err)
			}
		})
	}
	for _, text := range []string{`"soon"`, `30`, `""`} {
		var got Duration
		if err := json.Unmarshal([]byte(text), &got); err == nil {
			t.Errorf("%s is read as %s, want an error", text, got)
		}
	}
	if got := Duration(10 * time.Second).Scale(1.5); got != 15*time.Second {
		t.Errorf("10s with a patience of 1.5 is %s, want 15s", got)
	}
}

func TestSubmitNames(t *testing.T) {
	tests := map[string]struct {
		submit Submit
		want   []string
	}{
		"one gang":   {Submit{Gang: "train"}, []string{"train"}},
		"one copy":   {Submit{Gang: "train", Copies: 1}, []string{"train-1"}},
		"two copies": {Submit{Gang: "train", Copies: 2}, []string{"train-1", "train-2"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.submit.Names()); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestWeight(t *testing.T) {
	steps := []Step{
		{Nodes: &Nodes{Add: 1}},
		{Wait: &Wait{For: Duration(2 * time.Second)}},
		{Repeat: &Repeat{Times: 3, Steps: []Step{
			{Expect: &Expect{For: Duration(4 * time.Second), Within: Duration(time.Minute)}},
		}}},
	}
	if got, want := Weight(steps), 17*time.Second; got != want {
		t.Errorf("got %s, want %s: a wait of 2s, and 3 times 4s watched and 1s to get there", got, want)
	}
}

func TestExpectMet(t *testing.T) {
	pending, running := timeline.Pod{Role: "worker"}, timeline.Pod{Role: "worker", Node: "n", Phase: "Running"}
	ps := timeline.Pod{Role: "ps", Node: "n", Phase: "Running"}
	failed := timeline.Pod{Role: "worker", Node: "n", Phase: "Failed"}
	// gang has 3 pods, and a minimum of 2.
	gang := func(name string, pods ...timeline.Pod) *timeline.GangState {
		g := &timeline.GangState{Gang: timeline.Gang{Name: name, Min: 2, Size: 3}, Pods: map[string]*timeline.Pod{}}
		for i := range pods {
			g.Pods[string(rune('a'+i))] = &pods[i]
		}
		return g
	}
	bound := func(name string, b Bound) Expect { return Expect{Gang: name, Bound: &b} }
	whole := func(name string, n int) Expect { return Expect{Gang: name, Whole: &n} }
	all, none := Bound{Word: "all"}, Bound{Word: "none"}
	roles := Bound{Roles: map[string]int{"ps": 1, "worker": 1}}

	tests := map[string]struct {
		expect Expect
		gangs  []*timeline.GangState
		why    string // empty where it is met
	}{
		"none bound":               {expect: bound("a", none), gangs: []*timeline.GangState{gang("a", pending, pending, pending)}},
		"none bound, before pods":  {expect: bound("a", none), gangs: []*timeline.GangState{gang("a")}},
		"none, but one is":         {expect: bound("a", none), gangs: []*timeline.GangState{gang("a", running, pending, pending)}, why: "1 of 3 pods of a are bound"},
		"all bound":                {expect: bound("a", all), gangs: []*timeline.GangState{gang("a", running, running, ps)}},
		"all, but one failed":      {expect: bound("a", all), gangs: []*timeline.GangState{gang("a", running, running, failed)}, why: "2 of 3 pods of a are bound"},
		"just the number":          {expect: bound("a", Bound{Count: 2}), gangs: []*timeline.GangState{gang("a", running, running, pending)}},
		"more than the number":     {expect: bound("a", Bound{Count: 1}), gangs: []*timeline.GangState{gang("a", running, running, pending)}, why: "2 of 3 pods of a are bound"},
		"roles":                    {expect: bound("a", roles), gangs: []*timeline.GangState{gang("a", ps, running, pending)}},
		"roles, one too many":      {expect: bound("a", roles), gangs: []*timeline.GangState{gang("a", ps, running, running)}, why: "3 of 3 pods of a are bound"},
		"roles, one has none":      {expect: bound("a", roles), gangs: []*timeline.GangState{gang("a", ps, pending, pending)}, why: "1 of 3 pods of a are bound"},
		"roles, another role":      {expect: bound("a", Bound{Roles: map[string]int{"worker": 1}}), gangs: []*timeline.GangState{gang("a", ps, running, pending)}, why: "2 of 3 pods of a are bound"},
		"each gang of a glob":      {expect: bound("j-*", none), gangs: []*timeline.GangState{gang("a", running), gang("j-1", pending), gang("j-2", running)}, why: "1 of 3 pods of j-2 are bound"},
		"no such gang":             {expect: bound("b", none), gangs: []*timeline.GangState{gang("a")}, why: "no gang is named b"},
		"one whole, one has none":  {expect: whole("j-*", 1), gangs: []*timeline.GangState{gang("j-1", running, running), gang("j-2", pending)}},
		"one whole, one partly":    {expect: whole("j-*", 1), gangs: []*timeline.GangState{gang("j-1", running, running), gang("j-2", running)}, why: "j-2 is partly bound, 1 of 3 pods"},
		"two whole, one is wanted": {expect: whole("j-*", 1), gangs: []*timeline.GangState{gang("j-1", running, running), gang("j-2", running, running)}, why: "2 of 2 gangs are whole"},
		"none whole, as wanted":    {expect: whole("j-*", 0), gangs: []*timeline.GangState{gang("j-1", pending)}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := timeline.NewState()
			for _, g := range test.gangs {
				s.Gangs[g.Name] = g
			}
			ok, why := test.expect.Met(s)
			if why != test.why || ok != (test.why == "") {
				t.Errorf("met: %t, %q; want %t, %q", ok, why, test.why == "", test.why)
			}
		})
	}
}

// What a step submits by name, and what it has, is the same.
func TestSubmitHas(t *testing.T) {
	for name, s := range map[string]Submit{"one": {Gang: "a"}, "copies": {Gang: "a", Copies: 12}} {
		t.Run(name, func(t *testing.T) {
			for _, gang := range s.Names() {
				if !s.Has(gang) {
					t.Errorf("does not have %s", gang)
				}
			}
			for _, other := range []string{"", "b", "a-", "a-0", "a-01", "a-+1", "a-13", "a-1-1", "b-1"} {
				if s.Has(other) {
					t.Errorf("has %s", other)
				}
			}
		})
	}
}
