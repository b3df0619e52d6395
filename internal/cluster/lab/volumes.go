package lab

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"sigs.k8s.io/yaml"

	"github.com/gangctl/gangctl/internal/catalog"
)

// mounts are a container's volumes, as files.
type mounts struct {
	// Replacer turns paths in the container into where they are, as it has done already in
	// what ConfigMaps hold.
	*strings.Replacer
	namespace string
	configs   []config
	fields    []field // that are written into the files
}

// config is a mounted ConfigMap, and what was last written of it.
type config struct {
	volume corev1.Volume
	folder string
	files  map[string][]byte
}

type field struct {
	in    *catalog.ConfigField
	value string
}

// writeVolumes writes the container's volumes below root, which stands for its own
// file system: each at its mount path.
func (l *Lab) writeVolumes(ctx context.Context, d *appsv1.Deployment, c corev1.Container, root string) (*mounts, error) {
	var pairs []string
	for _, m := range c.VolumeMounts {
		pairs = append(pairs, path.Clean(m.MountPath), filepath.Join(root, m.MountPath))
	}
	paths := &mounts{Replacer: strings.NewReplacer(pairs...), namespace: d.Namespace}
	for _, m := range c.VolumeMounts {
		at := slices.IndexFunc(d.Spec.Template.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name })
		if at < 0 {
			return nil, fmt.Errorf("volumeMount %s: there is no such volume", m.Name)
		}
		volume := d.Spec.Template.Spec.Volumes[at]
		files, err := l.volume(ctx, d.Namespace, volume, paths.Replacer)
		if err != nil {
			return nil, fmt.Errorf("volume %s: %w", m.Name, err)
		}
		folder := filepath.Join(root, m.MountPath)
		if volume.ConfigMap != nil {
			paths.configs = append(paths.configs, config{volume, folder, files})
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return nil, err
		}
		if err := writeFiles(folder, files); err != nil {
			return nil, err
		}
		if s := volume.Secret; s != nil {
			if err := l.followSecret(d.Namespace, s.SecretName, folder); err != nil {
				return nil, err
			}
		}
	}
	return paths, os.MkdirAll(tmpOf(root), 0o700)
}

// refresh writes ConfigMaps that have changed, as a kubelet does for a pod that goes on
// running, if later.
func (l *Lab) refresh(ctx context.Context, m *mounts) error {
	changed := false
	for i := range m.configs {
		c := &m.configs[i]
		files, err := l.volume(ctx, m.namespace, c.volume, m.Replacer)
		if err != nil {
			return fmt.Errorf("volume %s: %w", c.volume.Name, err)
		}
		if maps.EqualFunc(files, c.files, bytes.Equal) {
			continue
		}
		changed, c.files = true, files
		if err := writeFiles(c.folder, files); err != nil {
			return err
		}
	}
	if !changed {
		return nil
	}
	for _, f := range m.fields {
		if err := setField(m.Replacer, f.in, f.value); err != nil {
			return err
		}
	}
	return nil
}

// setField writes a field of a mounted YAML file, now and whenever the file changes.
func (m *mounts) setField(in *catalog.ConfigField, value string) error {
	m.fields = append(m.fields, field{in, value})
	return setField(m.Replacer, in, value)
}

// writeFiles replaces a volume's files, each at once: somebody may be reading.
func writeFiles(folder string, files map[string][]byte) error {
	for name, data := range files {
		part := filepath.Join(folder, "."+name)
		if err := os.WriteFile(part, data, 0o600); err != nil {
			return err
		}
		if err := os.Rename(part, filepath.Join(folder, name)); err != nil {
			return err
		}
	}
	return nil
}

// followSecret keeps a mounted Secret's files as the Secret is, as a kubelet does: some
// operators make their own certificate, and wait until they find it mounted.
func (l *Lab) followSecret(namespace, name, folder string) error {
	c := l.client.CoreV1().Secrets(namespace)
	only := fields.OneTermEqualSelector("metadata.name", name).String()
	list, err := c.List(l.life, metav1.ListOptions{FieldSelector: only})
	if err != nil {
		return err
	}
	changes, err := watchtools.NewRetryWatcherWithContext(l.life, list.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = only
			return c.Watch(ctx, o)
		},
	})
	if err != nil {
		return err
	}
	go func() {
		defer changes.Stop()
		for e := range changes.ResultChan() {
			if s, ok := e.Object.(*corev1.Secret); ok && e.Type != watch.Deleted {
				_ = writeFiles(folder, s.Data) // the lab's folder may be gone already
			}
		}
	}()
	return nil
}

// tmpOf is a container's own /tmp. Libraries with a default path there ask for TMPDIR.
func tmpOf(root string) string { return filepath.Join(root, "tmp") }

func (l *Lab) volume(ctx context.Context, namespace string, v corev1.Volume, paths *strings.Replacer) (map[string][]byte, error) {
	files := map[string][]byte{}
	switch {
	case v.ConfigMap != nil:
		m, err := l.client.CoreV1().ConfigMaps(namespace).Get(ctx, v.ConfigMap.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		for name, text := range m.Data {
			files[name] = []byte(paths.Replace(text))
		}
		maps.Copy(files, m.BinaryData)
	case v.Secret != nil:
		s, err := l.client.CoreV1().Secrets(namespace).Get(ctx, v.Secret.SecretName, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		files = s.Data
	case v.EmptyDir != nil:
	default:
		return nil, fmt.Errorf("the lab knows configMap, secret and emptyDir")
	}
	return files, nil
}

// setField writes a field of a mounted YAML file; the value is YAML, too.
func setField(paths *strings.Replacer, in *catalog.ConfigField, value string) error {
	file := paths.Replace(in.File)
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var config map[string]any
	var field any
	if err := errors.Join(yaml.Unmarshal(data, &config), yaml.Unmarshal([]byte(value), &field)); err != nil {
		return fmt.Errorf("%s: %w", in.File, err)
	}
	if config == nil {
		config = map[string]any{}
	}
	if err := unstructured.SetNestedField(config, field, strings.Split(in.Field, ".")...); err != nil {
		return fmt.Errorf("%s: %w", in.File, err)
	}
	if data, err = yaml.Marshal(config); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}
