//go:build unix && !linux

package runfolder

import (
	"os/exec"
	"strconv"
	"strings"
)

// processes lists the live processes that were started through the folder.
func processes(folder string) ([]int, error) {
	out, err := exec.Command("ps", "-axww", "-o", "pid=,command=").Output()
	if err != nil {
		return nil, err
	}
	var pids []int
	for line := range strings.Lines(string(out)) {
		number, command, _ := strings.Cut(strings.TrimSpace(line), " ")
		pid, err := strconv.Atoi(number)
		if err == nil && ours(strings.TrimSpace(command), folder) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}
