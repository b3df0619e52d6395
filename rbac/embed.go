// Package rbac holds roles that upstream does not ship, one a file, as kustomize
// Components: what schedulers and operators need for gang scheduling besides, and
// what gangctl-verify itself needs. There is no code here.
package rbac

import "embed"

// Files is this folder.
//
//go:embed all:*
var Files embed.FS
