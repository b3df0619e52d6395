package render

import (
	"context"
	"io/fs"
)

// Verifier renders the roles that gangctl-verify itself needs: rbac/verifier, and
// rbac/verifier-<name> of each backend and operator that has one.
func Verifier(ctx context.Context, tree fs.FS, names ...string) (*Rendered, error) {
	layers := []Layer{{Name: "verifier", Folder: "rbac/verifier", Component: true}}
	for _, n := range names {
		dir := "rbac/verifier-" + n
		if _, err := fs.Stat(tree, dir); err == nil {
			layers = append(layers, Layer{Name: "verifier-" + n, Folder: dir, Component: true})
		}
	}
	return Render(ctx, tree, layers, Options{})
}
