package suite

import (
	"testing"
	"time"
)

func TestSlowness(t *testing.T) {
	for start, want := range map[time.Duration]float64{
		0: 1, 7 * time.Second: 1, usualStart: 1, 24 * time.Second: 1.6, time.Hour: 3,
	} {
		if got := slowness(start); got != want {
			t.Errorf("a start of %s: %v times slower than usual, want %v", start, got, want)
		}
	}
}
