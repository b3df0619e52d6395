package scenario

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Duration is a time span, in YAML as Go writes it: 500ms, 30s, 5m.
type Duration time.Duration

// UnmarshalJSON reads a quoted Go duration.
func (d *Duration) UnmarshalJSON(b []byte) error {
	var s string
	if err := json.Unmarshal(b, &s); err != nil {
		return fmt.Errorf("duration %s must be text such as \"30s\"", b)
	}
	v, err := time.ParseDuration(s)
	*d = Duration(v)
	return err
}

// MarshalJSON writes a quoted Go duration.
func (d Duration) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// String is the duration as Go writes it, without its idle zeros: 1m, not 1m0s.
func (d Duration) String() string {
	s := time.Duration(d).String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// Scale multiplies the duration by the patience.
func (d Duration) Scale(patience float64) time.Duration {
	return time.Duration(float64(d) * patience)
}

// Count says a number of things in words.
func Count[T int | int64](n T, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
