package scenario

import (
	"encoding/json"
	"testing"

	"github.com/gangctl/gangctl/internal/timeline"
)

func TestExpectGroupAndRefusal(t *testing.T) {
	group := func(least int64, owner string) *timeline.Group {
		return &timeline.Group{Name: "a", Min: least, Owner: owner}
	}
	tests := map[string]struct {
		expect string
		group  *timeline.Group
		job    *timeline.Job
		keys   []string
		told   string // by the API server
		lost   bool   // a group, before
		why    string // empty where it is met
	}{
		"as it must be":        {expect: `{"group":{"min":2}}`, group: group(2, ""), keys: []string{"a", "a"}},
		"no group yet":         {expect: `{"group":{"min":2}}`, why: "there is no group a"},
		"another minimum":      {expect: `{"group":{"min":2}}`, group: group(3, ""), why: "the group a has the minimum 3, not 2"},
		"a pod without a key":  {expect: `{"group":{"min":2}}`, group: group(2, ""), keys: []string{"a", ""}, why: `a-1 names the group "", not "a"`},
		"owned":                {expect: `{"group":{"min":2,"owned":true}}`, group: group(2, "TFJob/a"), job: &timeline.Job{Name: "a"}},
		"owned by nobody":      {expect: `{"group":{"min":2,"owned":true}}`, group: group(2, ""), job: &timeline.Job{Name: "a"}, why: "the group a has no controller"},
		"kept":                 {expect: `{"group":{"min":2,"kept":true}}`, group: group(2, "")},
		"made anew":            {expect: `{"group":{"min":2,"kept":true}}`, lost: true, group: group(2, ""), why: "the group a was deleted and made anew"},
		"owned by another":     {expect: `{"group":{"min":2,"owned":true}}`, group: group(2, "TFJob/b"), job: &timeline.Job{Name: "a"}, why: "the group a is TFJob/b's"},
		"none":                 {expect: `{"group":"none"}`},
		"none, and there is":   {expect: `{"group":"none"}`, group: group(2, ""), why: "there is a group a, with the minimum 2"},
		"refused":              {expect: `{"refused":true}`, told: "denied"},
		"refused by operator":  {expect: `{"refused":true}`, job: &timeline.Job{Name: "a", Failed: "two policies"}},
		"not refused":          {expect: `{"refused":true}`, job: &timeline.Job{Name: "a"}, why: "nobody has refused a"},
		"bound or refused":     {expect: `{"bound":"all","orRefused":true}`, told: "denied"},
		"neither":              {expect: `{"bound":"all","orRefused":true}`, why: "0 of 2 pods of a are bound"},
		"bound, not refusable": {expect: `{"bound":"all"}`, told: "denied", why: "0 of 2 pods of a are bound"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e := Expect{Gang: "a"}
			if err := json.Unmarshal([]byte(test.expect), &e); err != nil {
				t.Fatal(err)
			}
			s := timeline.NewState()
			s.Apply(timeline.Event{Gang: &timeline.Gang{Name: "a", Min: 2, Size: 2}})
			if test.told != "" {
				s.Apply(timeline.Event{Refused: &timeline.Refused{Name: "a", Err: test.told}})
			}
			for i, key := range test.keys {
				s.Apply(timeline.Event{Pod: &timeline.Pod{UID: string(rune('0' + i)), Name: "a-" + string(rune('0'+i)), Gang: "a", Key: key}})
			}
			if test.lost {
				s.Apply(timeline.Event{Group: &timeline.Group{Name: "a", Min: 2, Gone: true}})
			}
			if test.group != nil {
				s.Apply(timeline.Event{Group: test.group})
			}
			if test.job != nil {
				s.Apply(timeline.Event{Job: test.job})
			}
			if ok, why := e.Met(s); why != test.why || ok != (test.why == "") {
				t.Errorf("met: %t, %q; want %q", ok, why, test.why)
			}
			if text, err := json.Marshal(e.Group); e.Group != nil && (err != nil || `{"group":`+string(text)+`}` != test.expect) {
				t.Errorf("written as %s, error %v; want %s", text, err, test.expect)
			}
		})
	}
}
