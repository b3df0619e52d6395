package runfolder

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	ReapIfAsked()
	if os.Getenv("GANGCTL_TEST_OWNER") != "" {
		owner()
	}
	os.Exit(m.Run())
}

// owner is a run: a folder, a process in it, and then nothing until it is killed.
func owner() {
	f, err := New()
	if err != nil {
		panic(err)
	}
	startSleep(f)
	fmt.Println(f.Path)
	select {}
}

func startSleep(f *Folder) *exec.Cmd {
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		panic(err)
	}
	link, err := f.Link("test", sleep)
	if err != nil {
		panic(err)
	}
	cmd := exec.Command(link, "600")
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	// It has begun before the kernel has its command line.
	if !comes(func() bool { pids, _ := processes(link); return len(pids) == 1 }) {
		panic(link + " has no process")
	}
	return cmd
}

// comes waits for a process table's change, which nothing announces.
func comes(ok func() bool) bool {
	for deadline := time.Now().Add(3 * time.Second); !ok(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

func until(t *testing.T, what string, ok func() bool) {
	t.Helper()
	if !comes(ok) {
		t.Fatalf("3 s later: %s", what)
	}
}

func TestFreeze(t *testing.T) {
	f, err := New()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	cmd := startSleep(f)
	state := func() string {
		out, err := exec.Command("ps", "-o", "state=", "-p", fmt.Sprint(cmd.Process.Pid)).Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))[:1]
	}
	failed := errors.New("failed")
	err = f.Freeze("test", "sleep", func() error {
		if s := state(); s != "T" {
			t.Errorf("frozen, its state is %s", s)
		}
		return failed
	})
	if !errors.Is(err, failed) {
		t.Errorf("the error is lost: %v", err)
	}
	until(t, "it is still stopped", func() bool { return state() == "S" })
	if err := f.Freeze("test", "cat", func() error { t.Error("called"); return nil }); err == nil {
		t.Error("a program that does not run was frozen")
	}
}

func TestCloseLeavesNothing(t *testing.T) {
	f, err := New()
	if err != nil {
		t.Fatal(err)
	}
	cmd := startSleep(f)
	if pids, err := processes(filepath.Join(f.Path, binName)); err != nil || len(pids) != 1 || pids[0] != cmd.Process.Pid {
		t.Fatalf("processes: %v, %v, want %d", pids, err, cmd.Process.Pid)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil {
		t.Error("the process ended by itself")
	}
	if _, err := os.Stat(f.Path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the folder is still there: %v", err)
	}
}

func TestKilledOwnerLeavesNothing(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "GANGCTL_TEST_OWNER=1")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	path := strings.TrimSpace(line)
	if pids, _ := processes(filepath.Join(path, binName)); len(pids) != 1 {
		t.Fatalf("processes before: %v", pids)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	until(t, "a process lives", func() bool { pids, _ := processes(filepath.Join(path, binName)); return len(pids) == 0 })
	until(t, "the folder is there", func() bool { _, err := os.Stat(path); return err != nil })
}

func TestSweepTakesOnlyTheDead(t *testing.T) {
	alive, err := New()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := alive.Close(); err != nil {
			t.Error(err)
		}
	}()
	stale := filepath.Join(filepath.Dir(alive.Path), "run-stale-test")
	if err := os.MkdirAll(stale, 0o700); err != nil {
		t.Fatal(err)
	}
	sweep(filepath.Dir(alive.Path))
	if _, err := os.Stat(stale); err == nil {
		t.Error("a folder without an owner was not swept")
	}
	if _, err := os.Stat(alive.Path); err != nil {
		t.Errorf("a folder with an owner was swept: %v", err)
	}
}
