// Package lab holds the lab's data: the modules that its components are built
// from, and what its kubelets do.
package lab

import "embed"

// Files is this folder. Nested modules are left out of it by the Go tool: they can
// only be built from a clone.
//
//go:embed all:*
var Files embed.FS
