//go:build unix

package toolchain

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	exclusive = unix.LOCK_EX
	shared    = unix.LOCK_SH
)

var (
	errLocked   error = unix.EWOULDBLOCK
	errReadOnly error = unix.EROFS
)

// lock takes a flock on a file, which it creates, and returns its undo. If it
// has to wait, it says so once.
func lock(ctx context.Context, path string, how int, waiting func()) (unlock func(), err error) {
	for say := waiting; ; say = func() {} {
		unlock, err := tryLock(path, how)
		if !errors.Is(err, errLocked) {
			return unlock, err
		}
		say()
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
		if err != nil {
			return nil, err
		}
		free := make(chan error, 1)
		// Nothing interrupts a flock: after a cancel this stays until it is its turn.
		go func() {
			err := flock(f, how)
			f.Close()
			free <- err
		}()
		select {
		case err := <-free:
			if err != nil {
				return nil, &os.PathError{Op: "lock", Path: path, Err: err}
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// tryLock is lock without waiting: it fails with errLocked.
func tryLock(path string, how int) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := flock(f, how|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, &os.PathError{Op: "lock", Path: path, Err: err}
	}
	// A lock on a file that Clear has just removed would exclude nobody.
	mine, err := f.Stat()
	if now, statErr := os.Stat(path); err != nil || statErr != nil || !os.SameFile(mine, now) {
		f.Close()
		return nil, &os.PathError{Op: "lock", Path: path, Err: errLocked}
	}
	return func() { f.Close() }, nil
}

func flock(f *os.File, how int) error {
	for {
		if err := unix.Flock(int(f.Fd()), how); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// killGroup makes a cancelled context end the command's children with it: go's
// compilers would go on for minutes.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error {
		err := unix.Kill(-cmd.Process.Pid, unix.SIGKILL)
		if errors.Is(err, unix.ESRCH) {
			return os.ErrProcessDone
		}
		return err
	}
	cmd.WaitDelay = 10 * time.Second
}

// freeMiB is what an unprivileged user can still write to a folder's disk.
func freeMiB(dir string) (int, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, err
	}
	return int(uint64(st.Bavail) * uint64(st.Bsize) >> 20), nil
}
