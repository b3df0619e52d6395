package suite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/gangctl/gangctl/internal/cluster/lab"
	"github.com/gangctl/gangctl/internal/gang"
)

// usualStart is how long a lab takes to come up on two cores that are not starved.
const usualStart = 15 * time.Second

// slowness is how much longer than usual a lab took to come up, at least 1. That is
// mostly starting processes and waiting for an API server, as a case is. It is
// bounded: a machine that is slower yet should not run the suite.
func slowness(start time.Duration) float64 {
	times := math.Round(10*start.Seconds()/usualStart.Seconds()) / 10
	return min(max(1, times), 3)
}

// bench runs one case after the other, in one lab as long as that can be made as good as
// new.
type bench struct {
	suite *Suite
	lab   *lab.Lab
	// plain is a lab without a gang scheduler; used has had a case before.
	plain, used bool
	slow        float64
	logs        string
	read        map[string]int64 // bytes of each log that earlier cases have
	// quick is told of a lab that came up as quickly as on a machine with room.
	quick func()
}

// suits says that the job can be run in the lab that is there, once that is renewed where
// the job asks for it.
func (b *bench) suits(j job) bool { return b.lab != nil && b.plain == plain(j.scenario, j.run) }

// ready makes sure of a lab for the job: the one that is there, or a new one.
func (b *bench) ready(ctx context.Context, j job) error {
	if b.suits(j) {
		if !b.used || !j.fresh() {
			return nil
		}
		if b.lab.Renew(ctx) == nil {
			b.used = false
			return nil
		}
	}
	if err := b.close(); err != nil {
		return err
	}
	s := b.suite
	s.Starts <- struct{}{}
	defer func() { <-s.Starts }()
	b.plain, b.used, b.read = plain(j.scenario, j.run), false, map[string]int64{}
	b.logs = filepath.Join(s.Folder.Path, fmt.Sprintf("logs-%s-%s-%t", j.scenario.Metadata.Name, j.run, j.again))
	o := s.Lab(func(component string) string { return filepath.Join(b.logs, component+".log") })
	o.Images = s.Images
	if b.plain {
		o.ControlPlane, o.Bundle, o.Verifier = nil, s.off(), s.VerifierOff
	}
	began := time.Now()
	var err error
	if b.lab, err = lab.Up(ctx, o); err != nil {
		return err
	}
	if b.slow = slowness(time.Since(began)); b.slow == 1 && b.quick != nil {
		b.quick()
	}
	return nil
}

// clear empties the lab for another case, or ends it if that can't be.
func (b *bench) clear(ctx context.Context, w gang.Writer) error {
	b.used = true
	whole := b.lab.Intact() || b.lab.Renew(ctx) == nil
	if whole && b.lab.Empty(ctx, w.Namespace, w.Kinds()) == nil {
		return nil
	}
	return b.close()
}

func (b *bench) close() error {
	if b.lab == nil {
		return nil
	}
	err := errors.Join(b.lab.Down(), os.RemoveAll(b.logs))
	b.lab = nil
	return err
}

// saveLogs gives a case its part of the components' logs, and the first one the
// lab's start.
func (b *bench) saveLogs(j job) error {
	files, err := os.ReadDir(b.logs)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	for _, f := range files {
		err = errors.Join(err, b.saveLog(f.Name(), j))
	}
	return err
}

func (b *bench) saveLog(name string, j job) error {
	from, err := os.Open(filepath.Join(b.logs, name))
	if err != nil {
		return err
	}
	defer from.Close()
	if _, err := from.Seek(b.read[name], io.SeekStart); err != nil {
		return err
	}
	path, err := j.log(name)
	if err != nil {
		return err
	}
	to, err := os.Create(path)
	if err != nil {
		return err
	}
	n, err := io.Copy(to, from)
	b.read[name] += n
	return errors.Join(err, to.Close())
}
