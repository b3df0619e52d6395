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
			if _, err := c.work(); err != nil {
				t.Fatal(err)
			}
			if len(at) != want || done != 4*want {
				t.Errorf("%d workers did %d jobs, want %d and %d", len(at), done, want, 4*want)
			}
		})
	}
}

// What most likely fails is run first, while labs are new; then the long ones.
func TestPlanOrders(t *testing.T) {
	named := func(name, feature string, watch time.Duration) *scenario.Scenario {
		return &scenario.Scenario{Metadata: scenario.Metadata{Name: name}, Spec: scenario.Spec{
			Feature: feature, Steps: []scenario.Step{{Wait: &scenario.Wait{For: scenario.Duration(watch)}}},
		}}
	}
	s := &Suite{Release: &catalog.Release{Backend: &catalog.Backend{}}, Out: t.TempDir()}
	together, _, err := s.plan([]*scenario.Scenario{
		named("short", scenario.Core, time.Second), named("long", scenario.Core, time.Minute), named("extra", "recovery", time.Second),
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, j := range together {
		got = append(got, j.scenario.Metadata.Name)
	}
	if want := []string{"extra", "extra", "long", "long", "short", "short"}; !slices.Equal(got, want) {
		t.Errorf("in the order %v, want %v", got, want)
	}
}
