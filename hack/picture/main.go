// Command picture draws the two runs of a timeline for the README:
//
//	go run ./hack/picture out/cases/ack-tf-smoke-gpu/timeline.jsonl docs
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gangctl/gangctl/internal/report"
	"github.com/gangctl/gangctl/internal/timeline"
)

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: picture timeline.jsonl folder")
		os.Exit(2)
	}
	if err := draw(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func draw(file, folder string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var runs [][]timeline.Event
	err = timeline.Read(bytes.NewReader(data), func(e timeline.Event) error {
		if e.Begin != nil {
			runs = append(runs, nil)
		}
		runs[len(runs)-1] = append(runs[len(runs)-1], e)
		return nil
	})
	if err != nil {
		return err
	}
	for _, run := range runs {
		b := run[0].Begin
		title := fmt.Sprintf("%s on %s %s", b.Case, b.Backend, b.Version)
		if b.Run == timeline.Control {
			title = b.Case + " on the " + b.Scheduler
		}
		var svg bytes.Buffer
		if err := report.Picture(&svg, run, title); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(folder, b.Run+".svg"), svg.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
