package verdict

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
	"sigs.k8s.io/yaml"

	"github.com/gangctl/gangctl/internal/timeline"
)

// The same file gives the same bytes.
func TestPropertySameBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := drawHistory(t, seconds, "wild").text()
		var first []byte
		for range 5 {
			v, err := Judge(bytes.NewReader(text))
			if err != nil {
				t.Fatal(err)
			}
			got, err := yaml.Marshal(v)
			if err != nil {
				t.Fatal(err)
			}
			if first == nil {
				first = got
			}
			if !bytes.Equal(first, got) {
				t.Fatalf("the verdict differs:\n%s\n%s\nof\n%s", first, got, text)
			}
		}
	})
}

// What goes on beside the case, where it takes no room from it, changes nothing.
func TestPropertyForeign(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, seconds, moods...)
		want := h.judged(t)
		more := *h
		more.events = slices.Clone(h.events)
		for n := range rapid.IntRange(1, 10).Draw(t, "foreign events") {
			if len(more.events) == 0 {
				return
			}
			i := rapid.IntRange(0, len(more.events)-1).Draw(t, "place")
			pod := timeline.Pod{UID: fmt.Sprintf("foreign-%d", n%3), Name: "foreign", Key: "foreign", Scheduler: "foreign", Node: "elsewhere", Phase: "Running",
				Requests: timeline.Resources{timeline.GPU: 9}, Gang: rapid.SampledFrom([]string{"", "foreign"}).Draw(t, "gang"),
				Deleting: rapid.Bool().Draw(t, "deleting"), Gone: rapid.Bool().Draw(t, "gone")}
			e := rapid.SampledFrom([]timeline.Event{
				{Pod: &pod}, {Pod: &pod}, {Pod: &pod},
				{Node: &timeline.Node{Name: "elsewhere", Closed: true, Allocatable: timeline.Resources{timeline.GPU: 100}}},
				{Component: &timeline.Component{Name: "bystander", State: timeline.Stopped}},
				{Group: &timeline.Group{Name: "foreign", Gone: true}},
				{Gang: &timeline.Gang{Name: "foreign", Ended: true}},
			}).Draw(t, "event")
			e.At = more.events[i].At
			more.events = slices.Insert(more.events, i, e)
		}
		if diff := gocmp.Diff(want, more.judged(t)); diff != "" {
			t.Fatalf("(-without +with what is foreign)\n%s\n%s", diff, more.text())
		}
	})
}

// Cut off, a run is Inconclusive, and what was over by then is told as it is of the whole.
func TestPropertyCut(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		whole := drawHistory(t, seconds, moods...)
		if len(whole.events) == 0 {
			return
		}
		part := *whole
		part.events = whole.events[:rapid.IntRange(0, len(whole.events)-1).Draw(t, "cut")]
		got, all := part.judged(t), whole.judged(t)
		if got.Outcome != Inconclusive {
			t.Fatalf("cut behind %d events: %s\n%s", len(part.events), got.Outcome, whole.text())
		}
		// What is open at the cut is closed by it: those two are not to be compared.
		over := func(v Violation) bool {
			return v.To < part.end() && !strings.Contains(v.Detail, "was ever seen")
		}
		if diff := gocmp.Diff(only(all.Violations, over), only(got.Violations, over)); diff != "" {
			t.Fatalf("violations that were over (-whole +cut)\n%s\n%s", diff, part.text())
		}
		for _, v := range got.Violations {
			if over(v) || strings.Contains(v.Detail, "was ever seen") {
				continue
			}
			if !slices.ContainsFunc(all.Violations, func(w Violation) bool {
				return w.Property == v.Property && w.Subject == v.Subject && w.From <= v.From && w.To >= v.To
			}) {
				t.Fatalf("%v is seen in a part of %v\n%s", v, all.Violations, whole.text())
			}
		}
		for i, x := range got.Expectations {
			if diff := gocmp.Diff(all.Expectations[i], x); diff != "" {
				t.Fatalf("expectation (-whole +cut)\n%s\n%s", diff, whole.text())
			}
		}
	})
}

func only(all []Violation, is func(Violation) bool) (some []Violation) {
	for _, v := range all {
		if is(v) {
			some = append(some, v)
		}
	}
	return some
}

// Where everything takes so many times as long, the settle window and the patience too, the
// verdict is the same, and all that it tells took so many times as long.
func TestPropertyScale(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		h := drawHistory(t, seconds, moods...)
		times := timeline.Time(rapid.IntRange(2, 10).Draw(t, "times"))
		slow := *h
		slow.begin.Settle *= times
		slow.begin.Patience *= float64(times)
		slow.events = slices.Clone(h.events)
		for i := range slow.events {
			slow.events[i].At *= times
		}
		got, want := slow.judged(t), h.judged(t)
		scale(&want, times)
		untell(&want)
		untell(&got)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("%d times as long (-want +got)\n%s\n%s", times, diff, h.text())
		}
	})
}

// scale lets a run take so many times as long.
func scale(r *Run, times timeline.Time) {
	r.Seconds *= times
	r.IdleGPUSeconds *= times
	if r.Wrong != nil {
		r.Wrong.At *= times
	}
	bound := func(all []BoundPod) {
		for i := range all {
			all[i].At *= times
		}
	}
	for i := range r.Expectations {
		r.Expectations[i].At *= times
		bound(r.Expectations[i].Bound)
	}
	for i := range r.Violations {
		r.Violations[i].From *= times
		r.Violations[i].To *= times
		bound(r.Violations[i].Bound)
	}
	for i := range r.Ledger {
		r.Ledger[i].From *= times
		r.Ledger[i].To *= times
		r.Ledger[i].IdleGPUSeconds *= times
	}
	if t := r.Timing; t != nil {
		t.Window *= times
		for _, q := range []*Quantiles{&t.QuorumToBound, &t.Spread} {
			q.P50, q.P99, q.Max = q.P50*times, q.P99*times, q.Max*times
		}
	}
}

// untell drops the words, which name times, and the rates.
func untell(r *Run) {
	r.Reason = ""
	for i := range r.Expectations {
		r.Expectations[i].Why = ""
	}
	for i := range r.Violations {
		r.Violations[i].Detail = ""
	}
	if r.Timing != nil {
		r.Timing.GangsPerSecond, r.Timing.PodsPerSecond = 0, 0
	}
}
