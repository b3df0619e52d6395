package suite

import (
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/timeline"
	"github.com/gangctl/gangctl/internal/verdict"
)

// someJobs are runs on the backend of as many cases.
func someJobs(n int) []job {
	var all []job
	for range n {
		all = append(all, job{&pending{scenario: &scenario.Scenario{}}, timeline.Subject})
	}
	return all
}

// A crew has a worker a core; a lab that comes up quickly brings another.
func TestCrewGrowsWithQuickLabs(t *testing.T) {
	for name, quick := range map[string]bool{"slow": false, "quick": true} {
		t.Run(name, func(t *testing.T) {
			var mu sync.Mutex
			at := map[*bench]bool{}
			done := 0
			want := runtime.NumCPU()
			if quick {
				want *= 3
			}
			everyone := make(chan struct{})
			c := &crew{suite: &Suite{}, jobs: someJobs(4 * want)}
			c.do = func(b *bench, _ job) {
				mu.Lock()
				at[b] = true
				done++
				if len(at) == want && done == want {
					close(everyone)
				}
				mu.Unlock()
				if quick {
					b.quick()
				}
				<-everyone
			}
			if err := c.work(); err != nil {
				t.Fatal(err)
			}
			if len(at) != want || done != 4*want {
				t.Errorf("%d workers did %d jobs, want %d and %d", len(at), done, want, 4*want)
			}
		})
	}
}

// The longest is first; then what most likely fails, while labs are new; then the others.
func TestPlanOrders(t *testing.T) {
	named := func(name, feature string, watch time.Duration) *scenario.Scenario {
		return &scenario.Scenario{Metadata: scenario.Metadata{Name: name}, Spec: scenario.Spec{
			Feature: feature, Steps: []scenario.Step{{Wait: &scenario.Wait{For: scenario.Duration(watch)}}},
		}}
	}
	s := &Suite{Release: &catalog.Release{Backend: &catalog.Backend{}}, Out: t.TempDir(), Labs: &Labs{}, Suspects: []string{"failed"}}
	together, _, err := s.plan([]*scenario.Scenario{
		named("short", scenario.Core, time.Second), named("long", scenario.Core, time.Minute), named("extra", "recovery", time.Second),
		named("failed", scenario.Core, time.Second),
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, j := range together {
		name := j.scenario.Metadata.Name
		got = append(got, name)
		if fresh := name == "failed" && j.run == timeline.Subject; j.fresh() != fresh {
			t.Errorf("%s %s in a fresh lab: %v", name, j.run, j.fresh())
		}
	}
	if want := []string{"long", "long", "extra", "extra", "failed", "failed", "short", "short"}; !slices.Equal(got, want) {
		t.Errorf("in the order %v, want %v", got, want)
	}
}

// A run that is in order, or that had a new lab, is not run again.
func TestDoubtful(t *testing.T) {
	subject, control := timeline.Subject, timeline.Control
	broke, held := &verdict.Run{}, "nothing was bound"
	tests := map[string]struct {
		used    []string
		verdict verdict.Verdict
		want    []string
	}{
		"a pass":                         {runs, verdict.Verdict{Outcome: verdict.Pass, Subject: verdict.Run{Outcome: verdict.Pass}, Control: broke}, nil},
		"a fail in a used lab":           {runs, verdict.Verdict{Outcome: verdict.Fail, Subject: verdict.Run{Outcome: verdict.Fail}, Control: broke}, []string{subject}},
		"a fail in a new lab":            {[]string{control}, verdict.Verdict{Outcome: verdict.Fail, Subject: verdict.Run{Outcome: verdict.Fail}, Control: broke}, nil},
		"a control that proves nothing":  {runs, verdict.Verdict{Outcome: verdict.Inconclusive, Subject: verdict.Run{Outcome: verdict.Pass}, Control: broke, ControlReason: held}, []string{control}},
		"a fail, and such a control":     {runs, verdict.Verdict{Outcome: verdict.Fail, Subject: verdict.Run{Outcome: verdict.Fail}, Control: broke, ControlReason: held}, runs},
		"inconclusive before a control":  {runs, verdict.Verdict{Outcome: verdict.Inconclusive, Subject: verdict.Run{Outcome: verdict.Inconclusive}}, runs},
		"a case that can't be expressed": {runs, verdict.Verdict{Outcome: verdict.NotApplicable, Subject: verdict.Run{Outcome: verdict.NotApplicable}}, nil},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			p := &pending{}
			for _, run := range test.used {
				p.used.Store(run, true)
			}
			if got := p.doubtful(&test.verdict); !slices.Equal(got, test.want) {
				t.Errorf("again %v, want %v", got, test.want)
			}
			p.again = true
			if got := p.doubtful(&test.verdict); len(got) > 0 {
				t.Errorf("a third time %v", got)
			}
		})
	}
}
