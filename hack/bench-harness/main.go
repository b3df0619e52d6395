// Command bench-harness measures gangctl itself: how soon a lab takes its first
// pod, how long the core profile takes, and what share of the CPU is ours. It
// prints the table of docs/performance.md.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gangctl/gangctl/internal/cluster/lab"
	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/report"
	"github.com/gangctl/gangctl/internal/runfolder"
	"github.com/gangctl/gangctl/internal/scenario"
	"github.com/gangctl/gangctl/internal/setup"
	"github.com/gangctl/gangctl/internal/suite"
)

// rounds is how often each figure is taken.
const rounds = 5

func main() {
	runfolder.ReapIfAsked()
	ctrllog.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	fmt.Printf("%d cores, %s, %d rounds: min / median / max\n\n", runtime.NumCPU(), runtime.Version(), rounds)
	fmt.Println("| what | seconds | bar |\n| --- | --- | --- |")
	var ups, downs []float64
	for range rounds {
		up, down, err := labUp(ctx)
		if err != nil {
			return err
		}
		ups, downs = append(ups, up.Seconds()), append(downs, down.Seconds())
	}
	row("lab with Volcano, from start to first pod accepted", ups, "8")
	row("lab down", downs, "")
	var walls, shares []float64
	for range rounds {
		wall, share, err := core(ctx)
		if err != nil {
			return err
		}
		walls, shares = append(walls, wall.Seconds()), append(shares, share)
	}
	row("core profile with controls", walls, "120")
	slices.Sort(shares)
	fmt.Printf("| recorder, driver and report: share of the run's CPU, %% | %.1f / %.1f / %.1f | 10 |\n",
		shares[0], shares[len(shares)/2], shares[len(shares)-1])
	return nil
}

func row(what string, x []float64, bar string) {
	slices.Sort(x)
	fmt.Printf("| %s | %.2f / %.2f / %.2f | %s |\n", what, x[0], x[len(x)/2], x[len(x)-1], bar)
}

// prepare does what run and lab up do first.
func prepare(ctx context.Context) (*setup.Tree, *suite.Suite, error) {
	tree, err := setup.Load("")
	if err != nil {
		return nil, nil, err
	}
	s, err := (&setup.Target{Backend: "volcano"}).Suite(ctx, tree, setup.Progress{Writer: os.Stderr})
	if err != nil {
		return nil, nil, err
	}
	s.Labs, err = suite.NewLabs(0)
	return tree, s, err
}

// labUp times a lab from the reading of the tree to the first pod.
func labUp(ctx context.Context) (up, down time.Duration, err error) {
	begun := time.Now()
	_, s, err := prepare(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.Labs.Close()) }()
	l, err := lab.Up(ctx, s.Lab(func(component string) string {
		return filepath.Join(s.Labs.Folder.Path, "logs", component)
	}))
	if err != nil {
		return 0, 0, err
	}
	client, err := dynamic.NewForConfig(l.Config())
	if err != nil {
		return 0, 0, err
	}
	way := s.Release.Gang()
	w := gang.Writer{Namespace: "default", Scheduler: s.Release.SchedulerName(), Gang: &way}
	pod := w.Pods(&scenario.Submit{Gang: "first", Roles: []scenario.Role{{Name: "pod", Count: 1}}}, "first")[0]
	pods := client.Resource(schema.GroupVersionResource{Version: "v1", Resource: "pods"}).Namespace("default")
	if _, err := pods.Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		return 0, 0, err
	}
	up = time.Since(begun)
	begun = time.Now()
	err = l.Down()
	return up, time.Since(begun), err
}

// core times the core profile, and takes our share of all CPU time that was used.
func core(ctx context.Context) (wall time.Duration, share float64, err error) {
	begun, selfBefore, allBefore := time.Now(), cpu(syscall.RUSAGE_SELF), cpu(syscall.RUSAGE_CHILDREN)
	tree, s, err := prepare(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer func() { err = errors.Join(err, s.Labs.Close()) }()
	s.Out = filepath.Join(s.Labs.Folder.Path, "out")
	cases, err := tree.Choose([]string{"core"}, nil)
	if err != nil {
		return 0, 0, err
	}
	done, err := s.Run(ctx, cases, func(report.Case) {})
	if err != nil {
		return 0, 0, err
	}
	r, err := report.Write(s.Out, report.Meta{Backend: "volcano", Version: s.Release.Version, Kubernetes: s.Kubernetes}, done)
	if err != nil {
		return 0, 0, err
	}
	if r.ExitCode() != 0 {
		return 0, 0, fmt.Errorf("the core profile did not pass: %s", r.Summary())
	}
	self, children := cpu(syscall.RUSAGE_SELF)-selfBefore, cpu(syscall.RUSAGE_CHILDREN)-allBefore
	return time.Since(begun), 100 * float64(self) / float64(self+children), nil
}

// cpu is the CPU time of this process, or of its children that have ended.
func cpu(who int) time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(who, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
