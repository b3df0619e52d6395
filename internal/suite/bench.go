package suite

import (
	"context"
	"errors"
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
	*place
	// quick is told of a lab that came up as quickly as on a machine with room.
	quick func()
}

// suits says that the job can be run in the lab that is there, once that is renewed where
// the job asks for it.
func (b *bench) suits(j job) bool {
	return b.place != nil && b.key == b.suite.labKey(plain(j.scenario, j.run))
}

// ready makes sure of a lab for the job: the one that is there, one that is left over, or a
// new one.
func (b *bench) ready(ctx context.Context, j job) error {
	if !b.suits(j) {
		if err := b.leave(); err != nil {
			return err
		}
		var err error
		if b.place, err = b.suite.Labs.take(b.suite.labKey(plain(j.scenario, j.run))); err != nil {
			return err
		}
	}
	if b.place != nil {
		if !b.used || !j.fresh() {
			return nil
		}
		if b.lab.Renew(ctx) == nil {
			b.used = false
			return nil
		}
		if err := b.close(); err != nil {
			return err
		}
	}
	return b.start(ctx, plain(j.scenario, j.run))
}

// start starts a lab, a plain one or the backend's.
func (b *bench) start(ctx context.Context, plain bool) error {
	s := b.suite
	s.Labs.starts <- struct{}{}
	defer func() { <-s.Labs.starts }()
	logs := ""
	o := s.Lab(func(component string) string { return filepath.Join(logs, component+".log") })
	logs = o.Dir + "-logs"
	o.Images = s.Labs.images
	if plain {
		o.ControlPlane, o.Bundle, o.Verifier = nil, s.off(), s.VerifierOff
	}
	began := time.Now()
	l, err := lab.Up(ctx, o)
	if err != nil {
		b.place = &place{logs: logs, read: map[string]int64{}}
		return err
	}
	b.place = &place{
		lab: l, key: s.labKey(plain), slow: slowness(time.Since(began)), logs: logs,
		read: map[string]int64{}, spaces: map[string]int{},
	}
	if b.slow == 1 && b.quick != nil {
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

// leave hands the lab in, for another bench.
func (b *bench) leave() error {
	p := b.place
	b.place = nil
	switch {
	case p == nil:
		return nil
	case p.lab == nil:
		return p.down()
	}
	return b.suite.Labs.leave(p)
}

// close ends the lab.
func (b *bench) close() error {
	p := b.place
	b.place = nil
	return p.down()
}

// saveLogs gives a case its part of the components' logs, and the first one the
// lab's start.
func (b *bench) saveLogs(j job) error {
	if b.place == nil {
		return nil // no lab was even begun
	}
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
