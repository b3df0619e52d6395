package runfolder

import (
	"bytes"
	"os"
	"path/filepath"
	"strconv"
)

// processes lists the live processes that were started through a link below dir, or
// through dir.
func processes(dir string) ([]int, error) {
	found, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, d := range found {
		pid, err := strconv.Atoi(d.Name())
		if err != nil {
			continue
		}
		// A process that is gone, or a zombie, has no command line.
		line, err := os.ReadFile(filepath.Join("/proc", d.Name(), "cmdline"))
		if err != nil {
			continue
		}
		argv0, _, _ := bytes.Cut(line, []byte{0})
		if below(string(argv0), dir) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}
