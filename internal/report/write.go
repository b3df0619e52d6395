package report

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/gangctl/gangctl/internal/strict"
)

// Write writes report.yaml, junit.xml, ctrf.json, summary.md, the CNCF checklist's
// gang_scheduling.yaml and index.html into a folder. Each file is
// replaced at once, so that a reader never sees half of one.
func Write(dir string, m Meta, cases []Case) (*ConformanceReport, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("report: %w", err)
	}
	cases = sorted(cases)
	linked := slices.Clone(cases)
	for i := range linked {
		linked[i].Timeline = relative(dir, linked[i].Timeline)
		if b := linked[i].Before; b != nil {
			linked[i].Before = &Before{Outcome: b.Outcome, Reason: b.Reason, Timeline: filepath.ToSlash(relative(dir, b.Timeline))}
		}
	}
	r := Build(m, linked)
	// The order of work: the data first, then the views of it.
	for _, f := range []struct {
		name  string
		write func(io.Writer) error
	}{
		{"report.yaml", r.writeYAML},
		{"junit.xml", r.writeJUnit},
		{"ctrf.json", r.writeCTRF},
		{"summary.md", r.writeMarkdown},
		{"gang_scheduling.yaml", r.writeCNCF},
		{"index.html", func(w io.Writer) error { return r.writePage(w, cases, linked) }},
	} {
		if err := replace(filepath.Join(dir, f.name), f.write); err != nil {
			return nil, fmt.Errorf("report: %s: %w", f.name, err)
		}
	}
	return r, nil
}

func (r *ConformanceReport) writeYAML(w io.Writer) error { return writeYAML(w, r) }

func writeYAML(w io.Writer, v any) error {
	text, err := strict.Marshal(v)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}

// relative is the path as seen from the report's folder, so that the folder can
// be moved or attached whole.
func relative(dir, path string) string {
	if path == "" {
		return ""
	}
	from, errFrom := filepath.Abs(dir)
	to, errTo := filepath.Abs(path)
	if errFrom != nil || errTo != nil {
		return path
	}
	if rel, err := filepath.Rel(from, to); err == nil {
		return rel
	}
	return path
}

// replace writes a file beside its place and then moves it there.
func replace(path string, write func(io.Writer) error) (err error) {
	var text bytes.Buffer
	if err := write(&text); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(f.Name())
		}
	}()
	if _, err := f.Write(text.Bytes()); err != nil {
		f.Close()
		return err
	}
	if err := f.Chmod(0o644); err != nil {
		f.Close()
		return err
	}
	if err := f.Close(); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
