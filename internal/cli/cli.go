// Package cli is the command line: flags, progress and exit codes. stdout is the
// result, stderr the story.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	"golang.org/x/term"
	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gangctl/gangctl/internal/setup"
)

// The exit codes.
const (
	// ExitPass: every claimed feature passed.
	ExitPass = 0
	// ExitFail: a claimed feature failed; with --strict, any.
	ExitFail = 1
	// ExitUsage: wrong usage or bad input. Nothing was run.
	ExitUsage = 2
	// ExitInconclusive: something around the test broke, or it was interrupted.
	ExitInconclusive = 3
)

// Streams are where a command reads and writes.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
}

// exit is an error with an exit code.
type exit struct {
	code int
	err  error
}

func (e exit) Error() string { return e.err.Error() }
func (e exit) Unwrap() error { return e.err }

// broken marks an error of the environment, as against one of the input.
func broken(err error) error {
	if err == nil {
		return nil
	}
	return exit{ExitInconclusive, err}
}

// ended is the end of a command whose output has said all: with a code, and no
// further message.
func ended(code int) error {
	if code == ExitPass {
		return nil
	}
	return exit{code, errors.New("")}
}

// worse is the code of two that counts: a failure goes before what is inconclusive.
func worse(a, b int) int {
	if b != ExitPass && a != ExitFail {
		return b
	}
	return a
}

// Run runs a command line and returns its exit code.
func Run(args []string, s Streams) int {
	// The libraries' own logs are no part of our story.
	ctrllog.SetLogger(logr.Discard())
	klog.SetLogger(logr.Discard())
	// The first signal ends the work in order, the second at once.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)
	root := newRoot(s)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err == nil {
		return ExitPass
	}
	var e exit
	code := ExitUsage
	if errors.As(err, &e) {
		code = e.code
	}
	if errors.As(err, &setup.Unready{}) {
		code = ExitInconclusive
	}
	if ctx.Err() != nil {
		code, err = ExitInconclusive, errors.New("interrupted; nothing was left running")
	}
	if err.Error() != "" {
		fmt.Fprintf(s.Err, "gangctl-verify: %s\n", err)
	}
	return code
}

// app is what the commands share.
type app struct {
	Streams
	root string // --root
}

func newRoot(s Streams) *cobra.Command {
	a := &app{Streams: s}
	c := &cobra.Command{
		Use:   "gangctl-verify",
		Short: "Prove that a cluster schedules a gang whole or not at all",
		Long: `gangctl-verify runs gang scheduling cases on a real scheduler, watches what
happens, and judges what it saw. By default the cluster is the lab: a real
control plane and the real scheduler as local processes, with no Docker, no
root and no cluster of yours touched.

Exit codes: 0 every claimed feature passed, 1 a claimed one failed (--strict: any),
2 usage or bad input, 3 inconclusive.`,
		Example: `  gangctl-verify run                              # the newest Volcano, core and recovery
  gangctl-verify run --backend kube-scheduler     # native gang scheduling
  gangctl-verify judge out/cases/ack-tf-smoke-gpu/timeline.jsonl
  gangctl-verify lab up --backend volcano         # a lab to play with`,
		SilenceErrors: true, SilenceUsage: true,
	}
	c.SetIn(s.In)
	c.SetOut(s.Out)
	c.SetErr(s.Err)
	c.PersistentFlags().StringVar(&a.root, "root", "", "the gangctl tree to read bundles and cases from; the clone around the working directory, or else what is built in")
	c.AddCommand(a.newRun(), a.newMatrix(), a.newMutants(), a.newPrefetch(), a.newRBAC(), a.newList(), a.newLint(), a.newJudge(), a.newReport(), a.newRerun(), a.newRender(), a.newLab(), a.newCache(), a.newVersion())
	return c
}

// isTerminal says whether a stream is one, for redrawn lines and colours.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
