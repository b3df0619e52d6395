//go:build unix && !linux

package runfolder

import (
	"os/exec"
	"strconv"
	"strings"
)

// processes lists the live processes that were started through a link below dir, or
// through dir.
func processes(dir string) ([]int, error) {
	out, err := exec.Command("ps", "-axww", "-o", "pid=,command=").Output()
	if err != nil {
		return nil, err
	}
	var pids []int
	for line := range strings.Lines(string(out)) {
		number, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		pid, err := strconv.Atoi(number)
		if err == nil && below(strings.TrimSpace(command), dir) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}
