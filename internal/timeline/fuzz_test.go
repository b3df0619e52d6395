package timeline

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// Whatever a file holds, there are events or an error that names the line.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"seq":1,"at":0.000000,"begin":{"format":"gangctl.dev/timeline/v1alpha1","run":"subject"}}` + "\n" +
		`{"seq":2,"at":1.000000,"pod":{"uid":"1","name":"a","node":"n"}}` + "\n" + `{"seq":3,"at":2,"end":{}}` + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		s := NewState()
		err := Read(bytes.NewReader(data), func(e Event) error {
			s.Apply(e)
			return nil
		})
		if err != nil && !errors.Is(err, ErrCutOff) && !strings.Contains(err.Error(), "line ") {
			t.Fatalf("the error names no line: %v", err)
		}
	})
}
