// Package bundles holds the backends: a folder is a backend, and a folder in it a
// version. There is no code here.
package bundles

import "embed"

// Files is this folder. Nested modules are left out of it by the Go tool: they can
// only be built from a clone.
//
//go:embed all:*
var Files embed.FS
