// Command gangctl-verify proves that a cluster schedules a gang whole or not at all.
package main

import (
	"os"

	"github.com/gangctl/gangctl/internal/cli"
	"github.com/gangctl/gangctl/internal/runfolder"
)

func main() {
	runfolder.ReapIfAsked()
	os.Exit(cli.Run(os.Args[1:], cli.Streams{In: os.Stdin, Out: os.Stdout, Err: os.Stderr}))
}
