package suite

import (
	"runtime"
	"sync"
	"testing"

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
			if err := c.work(); err != nil {
				t.Fatal(err)
			}
			if len(at) != want || done != 4*want {
				t.Errorf("%d workers did %d jobs, want %d and %d", len(at), done, want, 4*want)
			}
		})
	}
}
