package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"github.com/gangctl/gangctl/internal/cluster/lab"
	"github.com/gangctl/gangctl/internal/setup"
	"github.com/gangctl/gangctl/internal/suite"
	"github.com/gangctl/gangctl/internal/timeline"
	"github.com/gangctl/gangctl/internal/toolchain"
)

// newLab is for labs that outlive the command, to play with. Such a lab is held by
// a server of its own: this program, run in the background as "lab serve".
func (a *app) newLab() *cobra.Command {
	c := &cobra.Command{
		Use:   "lab",
		Short: "Leave a lab running, to play with",
		Example: `  gangctl-verify lab up --backend volcano
  export KUBECONFIG=$(gangctl-verify lab kubeconfig)
  kubectl get nodes
  gangctl-verify lab down`,
	}
	var name string
	c.PersistentFlags().StringVar(&name, "name", "default", "the lab's name")
	t := &setup.Target{}
	up := &cobra.Command{
		Use: "up", Short: "Start a lab with the backend installed", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.labUp(c.Context(), name, t) },
	}
	targetFlags(up, t)
	s := &setup.Target{}
	serve := &cobra.Command{
		Use: "serve", Hidden: true, Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.labServe(c.Context(), name, s) },
	}
	targetFlags(serve, s)
	c.AddCommand(up, serve, &cobra.Command{
		Use: "down", Short: "End the lab", Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error { return a.labDown(c.Context(), name) },
	}, &cobra.Command{
		Use: "kubeconfig", Short: "Print the path of the lab's kubeconfig", Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			h, err := openHome(name)
			if err != nil {
				return err
			}
			if _, err := h.owner(); err != nil {
				return err
			}
			_, err = fmt.Fprintln(a.Out, h.kubeconfig())
			return err
		},
	})
	return c
}

// home is the folder of a named lab.
type home struct{ name, dir string }

func openHome(name string) (home, error) {
	if name == "" || strings.ContainsAny(name, `/\`) || name[0] == '.' {
		return home{}, fmt.Errorf("--name %q must be a plain name", name)
	}
	cache, err := toolchain.DefaultCacheDir()
	return home{name, filepath.Join(cache, "labs", name)}, err
}

func (h home) kubeconfig() string { return filepath.Join(h.dir, "kubeconfig") }
func (h home) log(component string) string {
	return filepath.Join(h.dir, "components", component+".log")
}

// lock is held by the lab's server for as long as it lives.
func (h home) lock() (*os.File, error) {
	if err := os.MkdirAll(h.dir, 0o700); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(filepath.Join(h.dir, "owner"), os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		f.Close()
		return nil, fmt.Errorf("lab %s is up already; end it with: gangctl-verify lab down --name %s", h.name, h.name)
	}
	return f, nil
}

// owner is the process that holds the lab.
func (h home) owner() (int, error) {
	if f, err := h.lock(); err == nil {
		f.Close()
		return 0, fmt.Errorf("lab %s is not up; start it with: gangctl-verify lab up --name %s", h.name, h.name)
	}
	text, err := os.ReadFile(filepath.Join(h.dir, "owner"))
	if err != nil {
		return 0, err
	}
	return strconv.Atoi(strings.TrimSpace(string(text)))
}

const ready = "ready"

// labUp prepares in the foreground, where progress can be seen, then leaves a
// server behind and waits until it says that the lab is ready.
func (a *app) labUp(ctx context.Context, name string, t *setup.Target) error {
	h, err := openHome(name)
	if err != nil {
		return err
	}
	if _, err := h.owner(); err == nil {
		_, err = h.lock()
		return err
	}
	tr, err := setup.Load(a.root)
	if err != nil {
		return err
	}
	if _, err := t.Suite(ctx, tr, a.progress()); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	args := []string{"lab", "serve", "--name", name, "--backend", t.Backend, "--operator", t.Operator, "--kubernetes", t.Kubernetes, "--bin-dir", t.BinDir, "--root", tr.Root}
	for _, c := range t.Components {
		args = append(args, "--component", c)
	}
	if t.Online {
		args = append(args, "--online")
	}
	server := exec.Command(self, args...)
	// Its own session: it outlives this terminal.
	server.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	out, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = server.Process.Signal(syscall.SIGTERM) })
	defer stop()
	var said []string
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if lines.Text() == ready {
			fmt.Fprintf(a.Err, "lab %s is up; its log files are in %s\n", name, filepath.Dir(h.log("x")))
			_, err := fmt.Fprintf(a.Out, "export KUBECONFIG=%s\n", h.kubeconfig())
			return err
		}
		said = append(said, lines.Text())
	}
	_ = server.Wait()
	return broken(fmt.Errorf("lab %s: %s", name, strings.Join(said, "\n")))
}

// labServe holds a lab until it is told to end. Its stdout is labUp's.
func (a *app) labServe(ctx context.Context, name string, t *setup.Target) error {
	err := a.serve(ctx, name, t)
	if err != nil {
		fmt.Fprintln(a.Out, err)
	}
	return err
}

func (a *app) serve(ctx context.Context, name string, t *setup.Target) (err error) {
	h, err := openHome(name)
	if err != nil {
		return err
	}
	lock, err := h.lock()
	if err != nil {
		return err
	}
	defer lock.Close()
	if err := errors.Join(lock.Truncate(0), os.RemoveAll(filepath.Dir(h.log("x")))); err != nil {
		return err
	}
	if _, err := fmt.Fprintln(lock, os.Getpid()); err != nil {
		return err
	}
	tr, err := setup.Load(a.root)
	if err != nil {
		return err
	}
	s, err := t.Suite(ctx, tr, a.progress())
	if err != nil {
		return err
	}
	if s.Labs, err = suite.NewLabs(0); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.Labs.Close()) }()
	l, err := lab.Up(ctx, s.Lab(h.log))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Down()) }()
	if err := os.WriteFile(h.kubeconfig(), l.Kubeconfig(), 0o600); err != nil {
		return err
	}
	defer os.Remove(h.kubeconfig())
	ended := make(chan timeline.Component, 1)
	l.Watch(func(c timeline.Component) {
		if c.State == timeline.Exited {
			select {
			case ended <- c:
			default:
			}
		}
	})
	if _, err := fmt.Fprintln(a.Out, ready); err != nil {
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case c := <-ended:
		return fmt.Errorf("%s exited: %s", c.Name, c.Detail)
	}
}

func (a *app) labDown(ctx context.Context, name string) error {
	h, err := openHome(name)
	if err != nil {
		return err
	}
	pid, err := h.owner()
	if err != nil {
		return err
	}
	if err := syscall.Kill(pid, syscall.SIGTERM); err != nil {
		return broken(err)
	}
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	// The lock is free when the server has ended: to wait for it is to wait for that.
	free := make(chan error, 1)
	go func() {
		f, err := os.OpenFile(filepath.Join(h.dir, "owner"), os.O_RDWR, 0)
		if err == nil {
			err = unix.Flock(int(f.Fd()), unix.LOCK_EX)
			f.Close()
		}
		free <- err
	}()
	select {
	case err := <-free:
		return broken(err)
	case <-ctx.Done():
		return broken(fmt.Errorf("lab %s does not end; its server is process %d", name, pid))
	}
}
