package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/gangctl/gangctl/internal/timeline"
)

// process is a component of the lab: how to start it, and how it runs.
type process struct {
	name string
	path string
	args []string
	env  []string
	dir  string
	log  string
	// ready is the port that opens when the process is ready; 0 is none.
	ready int
	tell  func(timeline.Component)

	mu       sync.Mutex
	cmd      *exec.Cmd
	done     chan struct{}
	err      error
	stopping bool
}

// start starts the process and waits until it is ready. One that exits at once
// gives an error with its last log lines.
func (p *process) start(ctx context.Context) error {
	if err := os.MkdirAll(p.dir, 0o700); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(p.log), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	cmd := exec.Command(p.path, p.args...)
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = p.dir, p.env, file, file
	// Its own group: a Ctrl-C at the terminal is ours to pass on.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start %s: %w", p.name, err)
	}
	done := make(chan struct{})
	p.mu.Lock()
	p.cmd, p.done, p.stopping = cmd, done, false
	p.mu.Unlock()
	p.tell(timeline.Component{Name: p.name, State: timeline.Started})
	go p.wait(cmd, done)
	return p.awaitReady(ctx, done)
}

func (p *process) wait(cmd *exec.Cmd, done chan struct{}) {
	err := cmd.Wait()
	p.mu.Lock()
	p.err = err
	c := timeline.Component{Name: p.name, State: timeline.Exited, Detail: cmd.ProcessState.String()}
	if p.stopping {
		c.State = timeline.Stopped
	} else if tail := lastLines(p.log, 5); tail != "" {
		c.Detail += "; its last lines: " + tail
	}
	p.mu.Unlock()
	p.tell(c)
	close(done)
}

// awaitReady waits for the port. No file or API tells of a listening socket, so
// this asks, as a kubelet's probe does.
func (p *process) awaitReady(ctx context.Context, done chan struct{}) error {
	if p.ready == 0 {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, 60*time.Second)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := net.DialTimeout("tcp", fmt.Sprintf("127.0.0.1:%d", p.ready), time.Second)
		if err == nil {
			return conn.Close()
		}
		select {
		case <-done:
			return fmt.Errorf("%s exited before it was ready (%v); its last lines:\n%s", p.name, p.err, lastLines(p.log, 15))
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return fmt.Errorf("%s is not ready after 60s; its last lines:\n%s", p.name, lastLines(p.log, 15))
			}
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// stop kills the process: a lab's state is not worth an orderly end.
func (p *process) stop() {
	p.mu.Lock()
	cmd, done := p.cmd, p.done
	p.stopping = true
	p.mu.Unlock()
	if cmd == nil {
		return
	}
	select {
	case <-done: // long ago, and its number may be another's
		return
	default:
	}
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	<-done
}

// signal sends the process what does not end it.
func (p *process) signal(s syscall.Signal) error {
	p.mu.Lock()
	cmd, stopping := p.cmd, p.stopping
	p.mu.Unlock()
	if cmd == nil || stopping {
		return fmt.Errorf("%s is not running", p.name)
	}
	if err := syscall.Kill(-cmd.Process.Pid, s); err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	state := timeline.Paused
	if s == syscall.SIGCONT {
		state = timeline.Resumed
	}
	p.tell(timeline.Component{Name: p.name, State: state})
	return nil
}

// lastLines returns the end of a log.
func lastLines(path string, n int) string {
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer file.Close()
	const window = 16 << 10
	if info, err := file.Stat(); err == nil && info.Size() > window {
		if _, err := file.Seek(-window, io.SeekEnd); err != nil {
			return ""
		}
	}
	data, err := io.ReadAll(file)
	if err != nil {
		return ""
	}
	lines := strings.Split(string(bytes.TrimSpace(data)), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}
