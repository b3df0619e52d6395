package lab

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// A container's mounts are where the image's author put them; two labs side by side
// can't both have /tmp/k8s-webhook-server. Where a program has such a path built in, the
// lab runs a copy of it in which the path is another of the same length, relative to the
// process's own folder. The code is the same.

// relocate writes the copy, and links its new paths to where the mounts are. It
// returns the copy's path.
func relocate(binary string, paths []string, root, dir string) (string, error) {
	text, err := os.ReadFile(binary)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	for i, p := range paths {
		if !bytes.Contains(text, []byte(p)) {
			return "", fmt.Errorf("fixedMounts: %s does not have %s built in", filepath.Base(binary), p)
		}
		name := fmt.Sprint(i)
		name = strings.Repeat("_", len(p)-len(name)) + name
		text = bytes.ReplaceAll(text, []byte(p), []byte(name))
		if err := os.Symlink(filepath.Join(root, p), filepath.Join(dir, name)); err != nil {
			return "", err
		}
	}
	// Another name: the original may be linked beside it.
	moved := filepath.Join(dir, filepath.Base(binary)+"-moved")
	return moved, os.WriteFile(moved, text, 0o700)
}
