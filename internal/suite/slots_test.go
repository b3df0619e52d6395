package suite

import (
	"runtime"
	"testing"
	"time"
)

func TestSlowness(t *testing.T) {
	for start, want := range map[time.Duration]float64{
		0: 1, 7 * time.Second: 1, usualStart: 1, 24 * time.Second: 1.6, time.Hour: 5,
	} {
		if got := slowness(start); got != want {
			t.Errorf("a start of %s: %v times slower than usual, want %v", start, got, want)
		}
	}
}

func TestStarvedLabsGetNoCompany(t *testing.T) {
	s := newSlots(0)
	for range runtime.NumCPU() {
		s.take()
	}
	s.starved()
	got := make(chan struct{})
	go func() {
		s.take()
		close(got)
	}()
	select {
	case <-got:
		t.Fatalf("there was a slot for one more lab than the %d cores", runtime.NumCPU())
	case <-time.After(20 * time.Millisecond):
	}
	s.free()
	<-got
}
