package verdict

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// BenchmarkJudge judges a timeline of both runs, with many gangs that come, wait, are
// bound, run, succeed and go. With -cpu 1 it is the speed of one core; events/cpu-s is that
// by the process's own time, which others on the machine take less from.
func BenchmarkJudge(b *testing.B) {
	for _, gangs := range []int{2, 200} {
		b.Run(fmt.Sprintf("%d gangs at a time", gangs), func(b *testing.B) { benchmarkJudge(b, gangs, 200/gangs) })
	}
}

func benchmarkJudge(b *testing.B, gangs, rounds int) {
	var file bytes.Buffer
	events, err := writeRounds(&file, gangs, rounds)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(file.Len()))
	b.ReportAllocs()
	before := cpuTime(b)
	for b.Loop() {
		v, err := Judge(bytes.NewReader(file.Bytes()))
		if err != nil {
			b.Fatal(err)
		}
		if v.Subject.Outcome != Pass || v.Subject.BoundPods != gangs*rounds*gangPods {
			b.Fatalf("%s, %s: %d pods were bound", v.Subject.Outcome, v.Subject.Reason, v.Subject.BoundPods)
		}
	}
	b.ReportMetric(float64(events)*float64(b.N)/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64(events)*float64(b.N)/(cpuTime(b)-before).Seconds(), "events/cpu-s")
	b.ReportMetric(float64(file.Len())/float64(events), "file-B/event")
}

// cpuTime is what the process has used of all cores.
func cpuTime(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
