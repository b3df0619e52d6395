package suite

import (
	"math"
	"runtime"
	"sync"
	"time"
)

// usualStart is how long a lab takes to come up on two cores that are not starved.
const usualStart = 15 * time.Second

// slowness is how much longer than usual a lab took to come up, at least 1. That is
// mostly starting processes and waiting for an API server, as a case is. It is
// bounded: a machine that is slower yet should not run the suite.
func slowness(start time.Duration) float64 {
	times := math.Round(10*start.Seconds()/usualStart.Seconds()) / 10
	return min(max(1, times), 5)
}

// slots says how many labs may run side by side. A running case mostly waits, so that
// is more than one a core, until a lab was slow to start.
type slots struct {
	mu    sync.Mutex
	freed sync.Cond
	most  int
	taken int
}

func newSlots(parallel int) *slots {
	s := &slots{most: parallel}
	if parallel == 0 {
		s.most = 3 * runtime.NumCPU()
	}
	s.freed.L = &s.mu
	return s
}

func (s *slots) take() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.taken >= s.most {
		s.freed.Wait()
	}
	s.taken++
}

func (s *slots) free() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.taken--
	s.freed.Broadcast()
}

// starved lowers the number to one a core.
func (s *slots) starved() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.most = min(s.most, runtime.NumCPU())
}
