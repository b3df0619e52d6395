package suite

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"

	"github.com/gangctl/gangctl/internal/cluster/lab"
	"github.com/gangctl/gangctl/internal/runfolder"
)

// Labs is where labs live: a run's folder, room for as many as may start at once, and the
// labs that one case leaves to another. Suites that run side by side may share it: then
// one takes over what another leaves, since a lab costs more to start than most cases do.
type Labs struct {
	Folder *runfolder.Folder

	starts chan struct{}
	images *lab.Images
	// most is how many may be idle, and shared says that suites run side by side.
	most   int
	shared bool

	mu   sync.Mutex
	made int
	idle []*place // the one that is idle for longest comes first
}

// NewLabs makes the folder. At most so many labs stand idle for the next suite; 0 is for one
// suite alone.
func NewLabs(most int) (*Labs, error) {
	folder, err := runfolder.New()
	if err != nil {
		return nil, err
	}
	l := &Labs{
		Folder: folder, most: most, shared: most > 0,
		starts: make(chan struct{}, runtime.NumCPU()),
		images: &lab.Images{Dir: filepath.Join(folder.Path, "images")},
	}
	if !l.shared {
		l.most = runtime.NumCPU()
	}
	return l, nil
}

// Close ends the idle labs, and removes the folder.
func (l *Labs) Close() error { return errors.Join(l.keepOnly(""), l.Folder.Close()) }

// place is a lab, and what is known of it.
type place struct {
	lab *lab.Lab
	// key stands for what the lab is made of.
	key string
	// used says that it has had a case.
	used bool
	slow float64
	logs string
	read map[string]int64 // bytes of each log that earlier cases have
	// spaces counts the cases that had a namespace: it stays.
	spaces map[string]int
}

// space is a namespace that no earlier case in the lab had.
func (p *place) space(name string) string {
	p.spaces[name]++
	if n := p.spaces[name]; n > 1 {
		return fmt.Sprintf("%s-%d", name, n)
	}
	return name
}

// down ends the lab, if it ever came up.
func (p *place) down() error {
	var err error
	if p.lab != nil {
		err = p.lab.Down()
	}
	return errors.Join(err, os.RemoveAll(p.logs))
}

// name is a folder's, for a new lab.
func (l *Labs) name() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.made++
	return fmt.Sprintf("lab-%d", l.made)
}

// take finds an idle lab; nil is none.
func (l *Labs) take(key string) (*place, error) {
	p := l.find(key)
	if p == nil || p.lab == nil {
		return p, nil
	}
	if err := p.lab.Wake(); err != nil {
		return nil, errors.Join(err, p.down())
	}
	return p, nil
}

func (l *Labs) find(key string) *place {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.idle, func(p *place) bool { return p.key == key })
	if i < 0 {
		return nil
	}
	p := l.idle[i]
	l.idle = slices.Delete(l.idle, i, i+1)
	return p
}

// leave hands in a lab that is empty. There may be one too many then.
func (l *Labs) leave(p *place) error {
	if p.lab != nil {
		if err := p.lab.Sleep(); err != nil {
			return errors.Join(err, p.down())
		}
	}
	return l.put(p)
}

func (l *Labs) put(p *place) error {
	l.mu.Lock()
	l.idle = append(l.idle, p)
	var over *place
	if len(l.idle) > l.most {
		over, l.idle = l.idle[0], l.idle[1:]
	}
	l.mu.Unlock()
	if over == nil {
		return nil
	}
	return over.down()
}

// keepOnly ends the idle labs but for one of a key.
func (l *Labs) keepOnly(key string) error {
	kept := l.find(key)
	l.mu.Lock()
	idle := l.idle
	l.idle = nil
	l.mu.Unlock()
	var errs []error
	for _, p := range idle {
		errs = append(errs, p.down())
	}
	if kept != nil {
		errs = append(errs, l.put(kept))
	}
	return errors.Join(errs...)
}
