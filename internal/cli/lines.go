package cli

import (
	"bytes"
	"io"
	"sync"
)

// lines writes whole lines, each with a prefix, so that what runs side by side can be
// told apart.
type lines struct {
	out    io.Writer
	mu     *sync.Mutex // of all that write to out
	prefix string
	rest   []byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, p...)
	for {
		i := bytes.IndexByte(l.rest, '\n')
		if i < 0 {
			return len(p), nil
		}
		if _, err := io.WriteString(l.out, l.prefix+string(l.rest[:i+1])); err != nil {
			return 0, err
		}
		l.rest = l.rest[i+1:]
	}
}
