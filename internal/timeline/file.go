package timeline

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// ErrCutOff says that a timeline ends in mid-line, as a crash leaves it.
var ErrCutOff = errors.New("the timeline is cut off")

// Writer writes events as JSON lines.
type Writer struct {
	w *bufio.Writer
	e *json.Encoder
}

// NewWriter returns a writer; Flush must be called at the end.
func NewWriter(w io.Writer) *Writer {
	b := bufio.NewWriter(w)
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	return &Writer{w: b, e: e}
}

// Write appends one event.
func (w *Writer) Write(e Event) error { return w.e.Encode(e) }

// Flush hands everything to the underlying writer.
func (w *Writer) Flush() error { return w.w.Flush() }

// Read calls each for every event. The events of a run follow one another, the
// subject's first. A last line that is not whole gives ErrCutOff after the events
// before it; a broken line elsewhere is an error that names it.
func Read(r io.Reader, each func(Event) error) error {
	in := bufio.NewReaderSize(r, 1<<16)
	for line := 1; ; line++ {
		text, err := in.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		whole := err == nil
		if text = bytes.TrimSpace(text); len(text) == 0 {
			if whole {
				continue
			}
			return nil
		}
		var e Event
		d := json.NewDecoder(bytes.NewReader(text))
		d.DisallowUnknownFields()
		err = d.Decode(&e)
		if !whole && (errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, new(*json.SyntaxError))) {
			return ErrCutOff
		}
		if err == nil {
			if _, more := d.Token(); more != io.EOF {
				err = errors.New("more than one event")
			}
		}
		if err == nil {
			err = e.check()
		}
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		if err := each(e); err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
	}
}
