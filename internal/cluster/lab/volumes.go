package lab

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// writeVolumes writes the container's volumes to disk. The replacer turns mount
// paths into where they are.
func (l *Lab) writeVolumes(ctx context.Context, d *appsv1.Deployment, c corev1.Container, dir string) (*strings.Replacer, error) {
	var pairs []string
	for _, m := range c.VolumeMounts {
		at := slices.IndexFunc(d.Spec.Template.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == m.Name })
		if at < 0 {
			return nil, fmt.Errorf("volumeMount %s: there is no such volume", m.Name)
		}
		files, err := l.volume(ctx, d.Namespace, d.Spec.Template.Spec.Volumes[at])
		if err != nil {
			return nil, fmt.Errorf("volume %s: %w", m.Name, err)
		}
		path := filepath.Join(dir, m.Name)
		if err := os.MkdirAll(path, 0o700); err != nil {
			return nil, err
		}
		for name, data := range files {
			if err := os.WriteFile(filepath.Join(path, name), data, 0o600); err != nil {
				return nil, err
			}
		}
		pairs = append(pairs, m.MountPath, path)
	}
	return strings.NewReplacer(pairs...), os.MkdirAll(dir, 0o700)
}

func (l *Lab) volume(ctx context.Context, namespace string, v corev1.Volume) (map[string][]byte, error) {
	files := map[string][]byte{}
	switch {
	case v.ConfigMap != nil:
		m, err := l.client.CoreV1().ConfigMaps(namespace).Get(ctx, v.ConfigMap.Name, metav1.GetOptions{})
		if err != nil {
			return nil, err
		}
		for name, text := range m.Data {
			files[name] = []byte(text)
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

// setField writes a field into a YAML file.
func setField(file, path, value string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	var config map[string]any
	if err := yaml.Unmarshal(data, &config); err != nil {
		return err
	}
	if err := unstructured.SetNestedField(config, value, strings.Split(path, ".")...); err != nil {
		return err
	}
	if data, err = yaml.Marshal(config); err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o600)
}
