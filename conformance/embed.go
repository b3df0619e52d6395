// Package conformance holds the cases, and runs them under Ginkgo and
// e2e-framework: go test ./conformance -args -backend=volcano.
package conformance

import "embed"

// Files is this folder's data: cases/<name>.yaml is one case, and its whole story.
//
//go:embed cases manifests profiles.yaml
var Files embed.FS
