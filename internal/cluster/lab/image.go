package lab

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Images keeps what etcd holds once a lab serves its bundle's kinds, for the next labs
// of the same kinds to begin with. To take in an operator's kinds costs an API server
// several times what else it does at its start.
type Images struct {
	// Dir is where they are kept, below a run's folder.
	Dir string

	mu sync.Mutex
	// ready has an entry for each image that is made, true once it can be used.
	ready map[string]bool
}

// imageKey stands for all that an image depends on.
func (l *Lab) imageKey(kinds []*unstructured.Unstructured) (string, error) {
	text, err := json.Marshal([]any{
		l.opts.Binaries["etcd"], l.opts.Binaries["kube-apiserver"], l.flags("kube-apiserver"), kinds,
	})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8]), nil
}

// restore fills etcd's folder, if there is an image.
func (im *Images) restore(key, etcd string) (bool, error) {
	if im == nil {
		return false, nil
	}
	im.mu.Lock()
	ready := im.ready[key]
	im.mu.Unlock()
	if !ready {
		return false, nil
	}
	return true, os.CopyFS(etcd, os.DirFS(filepath.Join(im.Dir, key)))
}

// keep makes the image, unless another lab does. The labs that start at the same time
// don't wait for it.
func (im *Images) keep(key string, copyTo func(dir string) error) error {
	if im == nil {
		return nil
	}
	im.mu.Lock()
	if im.ready == nil {
		im.ready = map[string]bool{}
	}
	_, taken := im.ready[key]
	if !taken {
		im.ready[key] = false
	}
	im.mu.Unlock()
	if taken {
		return nil
	}
	if err := copyTo(filepath.Join(im.Dir, key)); err != nil {
		return fmt.Errorf("keep what etcd holds: %w", err)
	}
	im.mu.Lock()
	defer im.mu.Unlock()
	im.ready[key] = true
	return nil
}

// copyEtcd copies etcd's folder while etcd is frozen: as after a crash, which it
// recovers from.
func (l *Lab) copyEtcd(to string) error {
	return l.opts.Folder.Freeze(l.group(), filepath.Base(l.opts.Binaries["etcd"]), func() error {
		if err := os.CopyFS(to, os.DirFS(l.etcdDir())); err != nil {
			return err
		}
		// The next part of its log, made ahead, is 64 MB of nothing.
		return os.RemoveAll(filepath.Join(to, "member", "wal", "0.tmp"))
	})
}
