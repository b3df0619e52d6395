package lab

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/install"
	"github.com/gangctl/gangctl/internal/timeline"
)

// Sync applies a bundle as a GitOps controller does, and runs its Deployments.
func (l *Lab) Sync(ctx context.Context, bundle string) (*timeline.Sync, error) {
	b := l.opts.Bundle
	if bundle != "" {
		b = l.opts.Others[bundle]
	}
	if b == nil {
		return nil, fmt.Errorf("the lab has no bundle %q to sync", bundle)
	}
	in, err := l.installer()
	if err != nil {
		return nil, err
	}
	// The pods of its Deployments are to find room again.
	if err := l.openInfraNode(ctx); err != nil {
		return nil, err
	}
	done := &timeline.Sync{Bundle: b.Name, Objects: len(b.Objects)}
	done.Changed, done.Failed = in.Once(ctx, b.Objects)
	if old := l.installed; old != nil && old != b {
		pruned, stuck, err := l.prune(ctx, in, left(old.Objects, b.Objects))
		if err != nil {
			return nil, err
		}
		done.Pruned, done.Failed = pruned, append(done.Failed, stuck...)
	}
	l.installed = b
	if err := l.issueCertificates(ctx, b.Objects); err != nil {
		return nil, err
	}
	for _, p := range b.Processes {
		if err := l.roll(ctx, b, p); err != nil {
			done.Failed = append(done.Failed, fmt.Sprintf("Deployment/%s: %s", p.Deployment, err))
		}
	}
	if err := l.awaitAccepted(ctx, b); err != nil {
		done.Failed = append(done.Failed, err.Error())
	}
	return done, nil
}

// left are the objects of an old bundle that a new one does not have.
func left(old, objects []*unstructured.Unstructured) []*unstructured.Unstructured {
	key := func(o *unstructured.Unstructured) string {
		return o.GroupVersionKind().GroupKind().String() + " " + o.GetNamespace() + "/" + o.GetName()
	}
	have := map[string]bool{}
	for _, o := range objects {
		have[key(o)] = true
	}
	return slices.DeleteFunc(slices.Clone(old), func(o *unstructured.Unstructured) bool { return have[key(o)] })
}

// roll runs a Deployment anew if its pods are others now. Else its process goes on, and
// what changed in its ConfigMaps changes below it. The old process ends before the new one
// starts: none of them is a leader.
func (l *Lab) roll(ctx context.Context, b *Bundle, want catalog.Process) error {
	if was := l.deployments[want.Deployment]; was != nil {
		d, err := l.get(ctx, want.Deployment)
		if err != nil {
			return err
		}
		if reflect.DeepEqual(d.Spec.Template, was.template) {
			return l.refresh(ctx, was.mounts)
		}
		if err := l.endOf(want.Deployment); err != nil {
			return err
		}
	}
	return l.runDeployment(ctx, b, want)
}

func (l *Lab) get(ctx context.Context, of string) (*appsv1.Deployment, error) {
	namespace, name, _ := strings.Cut(of, "/")
	return l.client.AppsV1().Deployments(namespace).Get(ctx, name, metav1.GetOptions{})
}

// endDeployment ends the process of a Deployment that is about to be deleted.
func (l *Lab) endDeployment(o *unstructured.Unstructured) {
	if o.GetKind() == "Deployment" {
		_ = l.endOf(o.GetNamespace() + "/" + o.GetName()) // its folder goes with the lab's
	}
}

// endOf ends a Deployment's process, and removes its files.
func (l *Lab) endOf(of string) error {
	d := l.deployments[of]
	if d == nil {
		return nil
	}
	delete(l.deployments, of)
	d.process.stop()
	l.mu.Lock()
	l.processes = slices.DeleteFunc(l.processes, func(p *process) bool { return p == d.process })
	l.mu.Unlock()
	if err := os.RemoveAll(d.process.dir); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Join(l.opts.Dir, "pods", of))
}

// Uninstall deletes what the bundle holds.
func (l *Lab) Uninstall(ctx context.Context) (*timeline.Sync, error) {
	in, err := l.installer()
	if err != nil {
		return nil, err
	}
	b := l.installed
	if b == nil {
		return nil, fmt.Errorf("nothing is installed")
	}
	l.installed = nil
	done := &timeline.Sync{Bundle: b.Name, Objects: len(b.Objects)}
	done.Pruned, done.Failed, err = l.prune(ctx, in, b.Objects)
	return done, err
}

// prune deletes objects, and ends the processes of Deployments.
func (l *Lab) prune(ctx context.Context, in *install.Installer, objects []*unstructured.Unstructured) (pruned, stuck []string, err error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	return in.Prune(ctx, objects, l.endDeployment)
}

func (l *Lab) openInfraNode(ctx context.Context) error {
	_, err := l.client.CoreV1().Nodes().Patch(ctx, infraNode, types.MergePatchType, []byte(`{"spec":{"taints":null}}`), metav1.PatchOptions{})
	return err
}
