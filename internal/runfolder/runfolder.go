// Package runfolder gives a run a folder of its own, and leaves nothing of it
// behind: no process and no file, even when gangctl itself is killed.
//
// Every process of a run is started through a link below the folder, so its
// argv[0] tells whose it is. A reaper, a child that outlives us, waits for the
// end of our pipe, then kills what is left and removes the folder. What even the
// reaper could not finish, the next run sweeps: a folder whose lock is free is stale.
package runfolder

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Folder is one run's.
type Folder struct {
	Path   string
	lock   *os.File
	reaper *exec.Cmd
	pipe   io.Closer
}

const (
	reapVariable = "GANGCTL_REAP"
	lockName     = "lock"
	binName      = "bin"
)

// New sweeps stale folders and makes a new one. The program must call
// ReapIfAsked first thing in main.
func New() (*Folder, error) {
	base, err := base()
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(base, 0o700); err != nil {
		return nil, err
	}
	// Until the new folder is locked, another run's sweep would take it for stale.
	guard, err := os.OpenFile(filepath.Join(base, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	defer guard.Close()
	if err := unix.Flock(int(guard.Fd()), unix.LOCK_EX); err != nil {
		return nil, fmt.Errorf("lock %s: %w", base, err)
	}
	sweep(base)
	path, err := os.MkdirTemp(base, "run-")
	if err != nil {
		return nil, err
	}
	f := &Folder{Path: path}
	if f.lock, err = lockFile(path); err != nil {
		return nil, errors.Join(err, os.RemoveAll(path))
	}
	if err := f.startReaper(); err != nil {
		return nil, errors.Join(err, os.RemoveAll(path))
	}
	return f, nil
}

// base is short, since unix sockets live beneath it and their paths are limited
// to about 100 bytes.
func base() (string, error) {
	dir := os.TempDir()
	if len(dir) > 50 {
		dir = "/tmp"
	}
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, fmt.Sprintf("gangctl-%d", os.Getuid())), nil
}

// Link returns a path below the folder that starts the program, so that its
// process can be told as this run's, and as one of a group of its processes.
func (f *Folder) Link(group, program string) (string, error) {
	dir := filepath.Join(f.Path, binName, group)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	link := filepath.Join(dir, filepath.Base(program))
	err := os.Symlink(program, link)
	if !errors.Is(err, os.ErrExist) {
		return link, err
	}
	// Another release's program may have the same name.
	if at, err := os.Readlink(link); err != nil || at == program {
		return link, err
	}
	return f.Link(filepath.Join(group, "other"), program)
}

// Kill ends every process of a group at once.
func (f *Folder) Kill(group string) error { return kill(filepath.Join(f.Path, binName, group)) }

// Halt stops every process of a group, until Resume lets them go on.
func (f *Folder) Halt(group string) error { return f.signal(group, syscall.SIGSTOP) }

// Resume lets the processes of a halted group go on.
func (f *Folder) Resume(group string) error { return f.signal(group, syscall.SIGCONT) }

func (f *Folder) signal(group string, s syscall.Signal) error {
	pids, err := processes(filepath.Join(f.Path, binName, group))
	for _, pid := range pids {
		err = errors.Join(err, syscall.Kill(pid, s))
	}
	return err
}

// Freeze stops the group's process of a program, which must be our child, calls do, and
// lets it go on.
func (f *Folder) Freeze(group, program string, do func() error) error {
	link := filepath.Join(f.Path, binName, group, program)
	pids, err := processes(link)
	if err != nil {
		return err
	}
	if len(pids) != 1 {
		return fmt.Errorf("%d processes run %s, not one", len(pids), link)
	}
	if err := syscall.Kill(pids[0], syscall.SIGSTOP); err != nil {
		return err
	}
	defer func() { _ = syscall.Kill(pids[0], syscall.SIGCONT) }()
	var status unix.WaitStatus
	for {
		_, err := unix.Wait4(pids[0], &status, unix.WUNTRACED, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err == nil && !status.Stopped() {
			err = errors.New("it has ended")
		}
		if err != nil {
			return fmt.Errorf("stop %s: %w", link, err)
		}
		return do()
	}
}

// Close kills what the run has left running and removes the folder.
func (f *Folder) Close() error {
	err := clean(f.Path)
	if f.pipe != nil {
		f.pipe.Close()
		// Its only message is its exit: it found nothing left to do.
		_ = f.reaper.Wait()
	}
	f.lock.Close()
	return err
}

func (f *Folder) startReaper() error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	f.reaper = exec.Command(self)
	f.reaper.Args = []string{"gangctl-reaper"}
	f.reaper.Env = append(os.Environ(), reapVariable+"="+f.Path)
	// Its own session: a Ctrl-C at the terminal is for us, not for it.
	f.reaper.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if f.pipe, err = f.reaper.StdinPipe(); err != nil {
		return err
	}
	return f.reaper.Start()
}

// ReapIfAsked turns this process into a reaper if it was started as one, and does
// not return then.
func ReapIfAsked() {
	path := os.Getenv(reapVariable)
	if path == "" {
		return
	}
	// The end of the pipe is the end of the run, however it came.
	_, _ = io.Copy(io.Discard, os.Stdin)
	if err := clean(path); err != nil {
		os.Exit(1)
	}
	os.Exit(0)
}

// sweep removes folders whose runs are dead.
func sweep(base string) {
	found, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, d := range found {
		path := filepath.Join(base, d.Name())
		lock, err := lockFile(path)
		if err != nil {
			continue // alive, or not ours to judge
		}
		_ = clean(path)
		lock.Close()
	}
}

func lockFile(folder string) (*os.File, error) {
	file, err := os.OpenFile(filepath.Join(folder, lockName), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// clean kills the folder's processes, then removes it.
func clean(path string) error {
	return errors.Join(kill(filepath.Join(path, binName)), os.RemoveAll(path))
}

// kill ends every process that was started through a link below dir, until there
// is none.
func kill(dir string) error {
	deadline := time.Now().Add(10 * time.Second)
	for {
		pids, err := processes(dir)
		if err != nil || len(pids) == 0 {
			return err
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%d processes of %s do not end: %v", len(pids), dir, pids)
		}
		for _, pid := range pids {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		// There is nothing to watch: not all of these are our children.
		time.Sleep(10 * time.Millisecond)
	}
}

// below says whether a command line starts with a link below dir, or with dir itself.
func below(argv0, dir string) bool {
	return argv0 == dir || strings.HasPrefix(argv0, dir+string(filepath.Separator))
}
