package suite

import (
	"slices"
	"sync"

	"github.com/gangctl/gangctl/internal/timeline"
)

// underWay keeps the runs that are under way, and tells of each change.
type underWay struct {
	mu          sync.Mutex
	done, total int
	running     []string
	tell        func(done, total int, running []string)
}

// more are runs that were not foreseen.
func (u *underWay) more(n int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.total += n
}

func (u *underWay) begin(j job) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.running = append(u.running, j.String())
	u.say()
}

func (u *underWay) end(j job) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.done++
	u.running = slices.DeleteFunc(u.running, func(r string) bool { return r == j.String() })
	u.say()
}

func (u *underWay) say() {
	if u.tell != nil {
		u.tell(u.done, u.total, slices.Clone(u.running))
	}
}

// String names the run for people.
func (j job) String() string {
	if j.run == timeline.Control {
		return j.scenario.Metadata.Name + " (control)"
	}
	return j.scenario.Metadata.Name
}
