package render

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"

	"github.com/gangctl/gangctl/internal/catalog"
)

// Pair renders a backend with an operator that is told of it, and the operator alone
// with gang scheduling off. An operator that names a scheduler which the backend does
// not serve is an error: its pods would wait for ever, and nothing would say why.
func Pair(ctx context.Context, tree fs.FS, p *catalog.Pair, o Options) (on, off *Rendered, err error) {
	up := p.Operator.Spec.Upstream
	on, err = Render(ctx, tree, []Layer{Backend(p.Backend), {Name: p.Operator.String(), Folder: p.Overlay, Upstream: up}}, o)
	if err != nil {
		return nil, nil, err
	}
	if err := errors.Join(checkProfiles(p.Backend, on.Objects), checkFlag(p, on.Objects)); err != nil {
		return nil, nil, fmt.Errorf("render %s with %s: %w", p.Backend, p.Operator, err)
	}
	// Components break the subject; the control has nothing for them to break.
	off, err = Render(ctx, tree, []Layer{{Name: p.Operator.String() + " (gang scheduling off)", Folder: p.Base, Upstream: up}}, Options{From: o.From})
	return on, off, err
}

// Release renders a backend's release alone. A configuration that serves another
// scheduler than gangs ask for is an error.
func Release(ctx context.Context, tree fs.FS, r *catalog.Release, o Options) (*Rendered, error) {
	out, err := Render(ctx, tree, []Layer{Backend(r)}, o)
	if err != nil {
		return nil, err
	}
	if err := checkProfiles(r, out.Objects); err != nil {
		return nil, fmt.Errorf("render %s: %w", r, err)
	}
	return out, nil
}

// checkFlag compares the scheduler that the operator is told of with the one that
// the backend serves.
func checkFlag(p *catalog.Pair, objects []*unstructured.Unstructured) error {
	g := p.Operator.Spec.GangFlag
	if g == nil || g.Switch {
		return nil
	}
	value, ok, err := flagOf(objects, g.Deployment, g.Flag)
	if err != nil {
		return err
	}
	if want := p.Backend.SchedulerName(); ok && value != want {
		return fmt.Errorf("deployment %s: %s=%s names a scheduler that %s does not serve: it serves %s",
			g.Deployment, g.Flag, value, p.Backend, want)
	}
	return nil
}

// flagOf reads a --name=value flag of a Deployment's container.
func flagOf(objects []*unstructured.Unstructured, deployment, flag string) (value string, ok bool, err error) {
	namespace, name, _ := strings.Cut(deployment, "/")
	at := slices.IndexFunc(objects, func(o *unstructured.Unstructured) bool {
		return o.GetKind() == "Deployment" && o.GetNamespace() == namespace && o.GetName() == name
	})
	if at < 0 {
		return "", false, fmt.Errorf("there is no Deployment %s", deployment)
	}
	var d appsv1.Deployment
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(objects[at].Object, &d); err != nil {
		return "", false, fmt.Errorf("deployment %s: %w", deployment, err)
	}
	for _, c := range d.Spec.Template.Spec.Containers {
		for _, a := range slices.Concat(c.Command, c.Args) {
			if v, found := strings.CutPrefix(a, flag+"="); found {
				return v, true, nil
			}
		}
	}
	return "", false, nil
}

// checkProfiles compares the scheduler's name in the catalog with the profiles of the
// kube-scheduler configuration that the release installs, where it installs one.
func checkProfiles(r *catalog.Release, objects []*unstructured.Unstructured) error {
	for _, o := range objects {
		if o.GetKind() != "ConfigMap" {
			continue
		}
		data, _, _ := unstructured.NestedStringMap(o.Object, "data")
		for key, text := range data {
			var config struct {
				Kind     string `json:"kind"`
				Profiles []struct {
					SchedulerName string `json:"schedulerName"`
				} `json:"profiles"`
			}
			if yaml.Unmarshal([]byte(text), &config) != nil || config.Kind != "KubeSchedulerConfiguration" {
				continue
			}
			var serves []string
			for _, profile := range config.Profiles {
				serves = append(serves, profile.SchedulerName)
			}
			if !slices.Contains(serves, r.SchedulerName()) {
				return fmt.Errorf("ConfigMap %s, %s: the profiles serve %s, and gangs ask for %s", o.GetName(), key, strings.Join(serves, ", "), r.SchedulerName())
			}
		}
	}
	return nil
}
