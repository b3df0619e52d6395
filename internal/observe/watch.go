package observe

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	watchtools "k8s.io/client-go/tools/watch"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/gang"
	"github.com/gangctl/gangctl/internal/timeline"
)

// Watch records nodes and pods, and an operator's jobs where there are any, until the
// context ends. It returns once what is there already is recorded. The load comes after the
// watch. Which group a pod names, it reads as g says, which may be nil.
func (r *Recorder) Watch(ctx context.Context, cfg *rest.Config, g *catalog.Gang, j *catalog.Job) error {
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return err
	}
	core := schema.GroupVersion{Version: "v1"}
	w := &watcher{recorder: r, client: client, gang: g}
	if _, err := w.start(ctx, core.WithResource("nodes"), w.node); err != nil {
		return err
	}
	if _, err = w.start(ctx, core.WithResource("pods"), w.pod); err != nil || j == nil {
		return err
	}
	_, err = w.start(ctx, j.GVR(), w.job)
	return err
}

// WatchEvents records what is told of the objects, until the context ends.
func (r *Recorder) WatchEvents(ctx context.Context, cfg *rest.Config) error {
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return err
	}
	w := &watcher{recorder: r, client: client}
	_, err = w.start(ctx, schema.GroupVersionResource{Version: "v1", Resource: "events"}, w.said)
	return err
}

// WatchGroups records the backend's groups, if it has any, until the context ends. It may be
// called again then, as when their kind was gone for a while: what was there before, and is
// no more, is recorded as gone.
func (r *Recorder) WatchGroups(ctx context.Context, cfg *rest.Config, g *catalog.Gang) error {
	if g == nil || g.Group == nil {
		return nil
	}
	client, err := dynamic.NewForConfig(cfg)
	if err != nil {
		return err
	}
	var before []string
	r.Look(func(s *timeline.State) { before = slices.Sorted(maps.Keys(s.Groups)) })
	w := &watcher{recorder: r, client: client, gang: g}
	gv, err := schema.ParseGroupVersion(g.Group.APIVersion)
	if err != nil {
		return err
	}
	there, err := w.start(ctx, gv.WithResource(g.Group.Resource), w.group)
	for _, name := range before {
		if err == nil && !slices.Contains(there, name) {
			r.Record(timeline.Event{Group: &timeline.Group{Name: name, Gone: true}})
		}
	}
	return err
}

type watcher struct {
	recorder *Recorder
	client   dynamic.Interface
	gang     *catalog.Gang
}

// see turns an object into an event; gone is its deletion.
type see func(u *unstructured.Unstructured, gone bool) (key string, e timeline.Event, err error)

// start lists a resource, then watches it from there on. A watch that can't be
// taken up again is a hole, which the timeline says. It returns what was listed, by name.
func (w *watcher) start(ctx context.Context, gvr schema.GroupVersionResource, see see) (names []string, err error) {
	c := w.client.Resource(gvr)
	list, err := c.List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", gvr.Resource, err)
	}
	// What was recorded of each object: other changes to it make no event.
	last := map[string]any{}
	for i := range list.Items {
		if err := w.record(see, last, &list.Items[i], false); err != nil {
			return nil, err
		}
		names = append(names, list.Items[i].GetName())
	}
	watching, err := watchtools.NewRetryWatcherWithContext(ctx, list.GetResourceVersion(), listerWatcher{c})
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", gvr.Resource, err)
	}
	go func() {
		defer watching.Stop()
		for e := range watching.ResultChan() {
			u, ok := e.Object.(*unstructured.Unstructured)
			if ctx.Err() != nil {
				return
			}
			if e.Type == watch.Error || !ok {
				w.cut(gvr.Resource, fmt.Sprint(e.Object))
				return
			}
			if e.Type == watch.Bookmark {
				continue
			}
			if err := w.record(see, last, u, e.Type == watch.Deleted); err != nil {
				w.cut(gvr.Resource, err.Error())
				return
			}
		}
		if ctx.Err() == nil {
			w.cut(gvr.Resource, "it ended")
		}
	}()
	return names, nil
}

func (w *watcher) cut(what, err string) {
	w.recorder.Record(timeline.Event{Cut: &timeline.Cut{What: what, Err: err}})
}

func (w *watcher) record(see see, last map[string]any, u *unstructured.Unstructured, gone bool) error {
	key, e, err := see(u, gone)
	if err != nil || (!gone && reflect.DeepEqual(last[key], any(e))) {
		return err
	}
	last[key] = e
	w.recorder.Record(e)
	return nil
}

// listerWatcher gives a resource the interface that a retrying watch wants.
type listerWatcher struct {
	dynamic.NamespaceableResourceInterface
}

func (l listerWatcher) WatchWithContext(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
	return l.Watch(ctx, o)
}

func (w *watcher) node(u *unstructured.Unstructured, gone bool) (string, timeline.Event, error) {
	var n corev1.Node
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &n); err != nil {
		return "", timeline.Event{}, fmt.Errorf("node %s: %w", u.GetName(), err)
	}
	seen := &timeline.Node{Name: n.Name, Gone: gone, Closed: n.Spec.Unschedulable}
	if !gone {
		seen.Allocatable, seen.Labels = gang.Amounts(n.Status.Allocatable), n.Labels
	}
	for _, t := range n.Spec.Taints {
		if t.Effect != corev1.TaintEffectPreferNoSchedule {
			seen.Closed = true
			seen.Taints = append(seen.Taints, t.Key)
		}
	}
	for _, c := range n.Status.Conditions {
		seen.Ready = seen.Ready || (c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue)
	}
	return n.Name, timeline.Event{Node: seen}, nil
}

func (w *watcher) pod(u *unstructured.Unstructured, gone bool) (string, timeline.Event, error) {
	var p corev1.Pod
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &p); err != nil {
		return "", timeline.Event{}, fmt.Errorf("pod %s: %w", u.GetName(), err)
	}
	seen := gang.Needs(&p)
	seen.UID, seen.Name = string(p.UID), p.Name
	seen.Gang, seen.Role, seen.Key = p.Labels[gang.GangLabel], p.Labels[gang.RoleLabel], gang.GroupOf(w.gang, gang.Key(w.gang, u), u)
	seen.Scheduler, seen.Node, seen.Phase = p.Spec.SchedulerName, p.Spec.NodeName, string(p.Status.Phase)
	seen.Deleting, seen.Gone = p.DeletionTimestamp != nil, gone
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			seen.Why = c.Message
		}
	}
	return seen.UID, timeline.Event{Pod: &seen}, nil
}

func (w *watcher) group(u *unstructured.Unstructured, gone bool) (string, timeline.Event, error) {
	g := w.gang.Group
	// A group without a minimum is one of the backend's own: it has none.
	least, _ := gang.Field(u.Object, g.MinField).(int64)
	seen := &timeline.Group{Name: u.GetName(), Min: least, Deleting: u.GetDeletionTimestamp() != nil, Gone: gone}
	if o := metav1.GetControllerOf(u); o != nil {
		seen.Owner = o.Kind + "/" + o.Name
	}
	seen.Name = gang.GroupOf(w.gang, seen.Name, u)
	if g.PhaseField != "" {
		seen.Phase, _ = gang.Field(u.Object, g.PhaseField).(string)
	}
	all, _ := gang.Field(u.Object, "status.conditions").([]any)
	for _, c := range all {
		if c, ok := c.(map[string]any); ok {
			if message, _ := c["message"].(string); message != "" && !strings.Contains(seen.Why, message) {
				seen.Why = strings.TrimPrefix(seen.Why+"; "+message, "; ")
			}
		}
	}
	return u.GetNamespace() + "/" + u.GetName(), timeline.Event{Group: seen}, nil
}

func (w *watcher) said(u *unstructured.Unstructured, gone bool) (string, timeline.Event, error) {
	var e corev1.Event
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, &e); err != nil {
		return "", timeline.Event{}, fmt.Errorf("event %s: %w", u.GetName(), err)
	}
	about := e.InvolvedObject
	return string(e.UID), timeline.Event{Said: &timeline.Said{Kind: about.Kind, Name: about.Name, Reason: e.Reason, Message: e.Message}}, nil
}

func (w *watcher) job(u *unstructured.Unstructured, gone bool) (string, timeline.Event, error) {
	seen := &timeline.Job{Name: u.GetName(), Gone: gone}
	all, _, err := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, c := range all {
		if gang.Field(c, "status") != "True" {
			continue
		}
		kind, _ := gang.Field(c, "type").(string)
		seen.Conditions = append(seen.Conditions, kind)
		if kind == "Failed" {
			seen.Failed, _ = gang.Field(c, "message").(string)
		}
	}
	return u.GetNamespace() + "/" + u.GetName(), timeline.Event{Job: seen}, err
}
