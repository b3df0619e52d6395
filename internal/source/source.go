// Package source turns a pinned upstream reference into its bytes. The same
// digest is checked whether they come from the Go module cache or from the URL.
package source

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/module"

	"github.com/gangctl/gangctl/internal/catalog"
)

// Resolver fetches upstream files.
type Resolver struct {
	// Online takes the URL; otherwise the Go module of the same tag is used, from
	// the module cache or through the module proxy.
	Online bool
}

// ErrUnavailable says that the bytes could not be had; nothing is wrong with the
// reference.
var ErrUnavailable = errors.New("upstream is not available")

// maxFile bounds what is read of one upstream file.
const maxFile = 64 << 20

// Fetch returns the file's bytes. A digest that differs is an error.
func (r Resolver) Fetch(ctx context.Context, u catalog.Upstream) ([]byte, error) {
	fetch := fromModule
	if r.Online {
		fetch = fromURL
	}
	data, err := fetch(ctx, u)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrUnavailable, err)
	}
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); got != u.SHA256 {
		return nil, fmt.Errorf("%s: sha256 is %s, the release pins %s", u.URL, got, u.SHA256)
	}
	return data, nil
}

func fromURL(ctx context.Context, u catalog.Upstream) ([]byte, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.URL, nil)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: the server answers %s", u.URL, resp.Status)
	}
	return io.ReadAll(io.LimitReader(resp.Body, maxFile))
}

func fromModule(ctx context.Context, u catalog.Upstream) ([]byte, error) {
	dir, err := Module(ctx, u.Module)
	if err != nil {
		return nil, fmt.Errorf("%s: from module %s: %w (or take it from its URL with --online)", u.URL, u.Module, err)
	}
	return os.ReadFile(filepath.Join(dir, filepath.FromSlash(u.Path)))
}

// Module returns the folder of a Go module, path@version, in the module cache. A
// module that is not there yet is downloaded. The folder is read-only.
func Module(ctx context.Context, ref string) (string, error) {
	path, version, _ := strings.Cut(ref, "@")
	dir, err := cached(path, version)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(dir); err != nil {
		return download(ctx, ref)
	}
	return dir, nil
}

// cached is the module's folder in the module cache, whether it is there or not.
func cached(path, version string) (string, error) {
	p, err := module.EscapePath(path)
	if err != nil {
		return "", err
	}
	v, err := module.EscapeVersion(version)
	if err != nil {
		return "", err
	}
	root := os.Getenv("GOMODCACHE")
	if root == "" {
		gopath := os.Getenv("GOPATH")
		if gopath == "" {
			home, err := os.UserHomeDir()
			if err != nil {
				return "", err
			}
			gopath = filepath.Join(home, "go")
		}
		root = filepath.Join(filepath.SplitList(gopath)[0], "pkg", "mod")
	}
	return filepath.Join(root, filepath.FromSlash(p)+"@"+v), nil
}

func download(ctx context.Context, ref string) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", ref)
	cmd.Dir = os.TempDir()
	cmd.Env = append(os.Environ(), "GO111MODULE=on", "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.Output()
	var got struct{ Dir, Error string }
	if json.Unmarshal(out, &got) == nil && got.Error != "" {
		return "", errors.New(got.Error)
	}
	if err != nil {
		return "", err
	}
	return got.Dir, nil
}
