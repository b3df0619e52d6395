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

// longest is the longest line that is read, 16 MiB: a case with a manifest takes a few kB.
const longest = 16 << 20

// Read calls each for every event. The events of a run follow one another, the
// subject's first. A last line that is not whole gives ErrCutOff after the events
// before it; a broken line elsewhere is an error that names it.
func Read(r io.Reader, each func(Event) error) error {
	in := bufio.NewReaderSize(r, 1<<16)
	var text []byte
	for line := 1; ; line++ {
		var err error
		if text, err = readLine(in, text[:0]); err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("line %d: %w", line, err)
		}
		whole := err == nil
		trimmed := bytes.TrimSpace(text)
		if len(trimmed) == 0 {
			if whole {
				continue
			}
			return nil
		}
		var e Event
		d := json.NewDecoder(bytes.NewReader(trimmed))
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

// readLine appends a line to the buffer, with its newline. At the end of the file the line
// comes with io.EOF.
func readLine(in *bufio.Reader, line []byte) ([]byte, error) {
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		switch {
		case len(line) > longest:
			return line, fmt.Errorf("is longer than %d bytes", longest)
		case !errors.Is(err, bufio.ErrBufferFull):
			return line, err
		}
	}
}
