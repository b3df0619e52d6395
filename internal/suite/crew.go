package suite

import (
	"errors"
	"runtime"
	"slices"
	"sync"
)

// crew are the workers that run jobs side by side, each at a bench of its own.
type crew struct {
	suite *Suite
	do    func(*bench, job)

	mu            sync.Mutex
	jobs          []job // that nobody has begun
	workers, most int
	running       sync.WaitGroup
	err           error
}

// work does the jobs, and returns when all have ended.
func (c *crew) work() error {
	first := c.suite.Parallel
	c.most = first
	if first == 0 {
		// A running case mostly waits, so there is work for more than one a core, but only
		// where labs come up quickly: see hire.
		first, c.most = runtime.NumCPU(), 3*runtime.NumCPU()
	}
	for range first {
		c.hire()
	}
	c.running.Wait()
	return c.err
}

// hire adds a worker, if there is work for one.
func (c *crew) hire() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.workers == c.most || len(c.jobs) == 0 {
		return
	}
	c.workers++
	c.running.Go(func() {
		b := &bench{suite: c.suite, quick: c.hire}
		for j, ok := c.take(b); ok; j, ok = c.take(b) {
			c.do(b, j)
		}
		err := b.leave()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.err = errors.Join(c.err, err)
	})
}

// take is the next job, one for the bench's lab if there is one.
func (c *crew) take(b *bench) (job, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.jobs) == 0 {
		return job{}, false
	}
	i := max(0, slices.IndexFunc(c.jobs, b.suits))
	j := c.jobs[i]
	c.jobs = slices.Delete(c.jobs, i, i+1)
	return j, true
}
