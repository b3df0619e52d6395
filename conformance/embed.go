// Package conformance holds the cases, and runs them under Ginkgo and
// e2e-framework: go test ./conformance -args -backend=volcano.
package conformance

import "embed"

// Files is this folder's data: cases/<name>.yaml is one case, and its whole story;
// mutants/<name> is a bundle that is broken on purpose.
//
//go:embed cases manifests mutants profiles.yaml
var Files embed.FS
