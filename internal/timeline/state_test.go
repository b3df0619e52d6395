package timeline

import (
	"maps"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPod(t *testing.T) {
	tests := map[string]struct {
		pod                    Pod
		bound, holds, finished bool
	}{
		"pending":                      {pod: Pod{Phase: "Pending"}},
		"bound, not started":           {pod: Pod{Node: "n", Phase: "Pending"}, bound: true, holds: true},
		"running":                      {pod: Pod{Node: "n", Phase: "Running"}, bound: true, holds: true},
		"succeeded":                    {pod: Pod{Node: "n", Phase: "Succeeded"}, bound: true, finished: true},
		"failed":                       {pod: Pod{Node: "n", Phase: "Failed"}, finished: true},
		"running and being deleted":    {pod: Pod{Node: "n", Phase: "Running", Deleting: true}, holds: true},
		"succeeded, being deleted":     {pod: Pod{Node: "n", Phase: "Succeeded", Deleting: true}, finished: true},
		"failed without having a node": {pod: Pod{Phase: "Failed"}, finished: true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			got := []bool{test.pod.Bound(), test.pod.Holds(), test.pod.Finished()}
			if diff := cmp.Diff([]bool{test.bound, test.holds, test.finished}, got); diff != "" {
				t.Errorf("bound, holds, finished (-want +got):\n%s", diff)
			}
		})
	}
}

func TestGang(t *testing.T) {
	pending, running := Pod{Phase: "Pending"}, Pod{Node: "n", Phase: "Running"}
	succeeded, failed := Pod{Node: "n", Phase: "Succeeded"}, Pod{Node: "n", Phase: "Failed"}
	deleting := Pod{Node: "n", Phase: "Running", Deleting: true}
	tests := map[string]struct {
		pods           []Pod // of 2 GPUs each, in a gang whose minimum is 2
		bound          int
		gpus           int64
		partial, whole bool
	}{
		"no pods":                   {},
		"none bound":                {pods: []Pod{pending, pending, pending}},
		"fewer than the minimum":    {pods: []Pod{running, pending, pending}, bound: 1, gpus: 2, partial: true},
		"just the minimum":          {pods: []Pod{running, running, pending}, bound: 2, gpus: 4, whole: true},
		"all":                       {pods: []Pod{running, running, running}, bound: 3, gpus: 6, whole: true},
		"succeeded counts":          {pods: []Pod{running, succeeded, pending}, bound: 2, gpus: 2, whole: true},
		"all succeeded, none holds": {pods: []Pod{succeeded, succeeded, succeeded}, bound: 3, whole: true},
		"failed does not count":     {pods: []Pod{running, failed, pending}, bound: 1, gpus: 2, partial: true},
		"deleting holds its room":   {pods: []Pod{running, deleting, pending}, bound: 1, gpus: 4, partial: true},
		"only deleting":             {pods: []Pod{deleting}, gpus: 2},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			g := &GangState{Gang: Gang{Min: 2, Size: 3}, Pods: map[string]*Pod{}}
			for i := range test.pods {
				p := test.pods[i]
				p.Requests = Resources{GPU: 2}
				g.Pods[string(rune('a'+i))] = &p
			}
			type facts struct {
				Bound          int
				GPUs           int64
				Partial, Whole bool
			}
			want := facts{test.bound, test.gpus, test.partial, test.whole}
			if diff := cmp.Diff(want, facts{g.Bound(), g.Held(GPU), g.Partial(), g.Whole()}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestBoundByRole(t *testing.T) {
	g := &GangState{Pods: map[string]*Pod{
		"1": {Name: "ps-0", Role: "ps"},
		"2": {Name: "worker-1", Role: "worker", Node: "n"},
		"3": {Name: "worker-0", Role: "worker", Node: "n"},
	}}
	if diff := cmp.Diff(map[string]int{"worker": 2}, g.BoundByRole()); diff != "" {
		t.Errorf("BoundByRole (-want +got):\n%s", diff)
	}
	var names []string
	for _, p := range g.Sorted() {
		names = append(names, p.Name)
	}
	if diff := cmp.Diff([]string{"ps-0", "worker-0", "worker-1"}, names); diff != "" {
		t.Errorf("Sorted (-want +got):\n%s", diff)
	}
}

func TestApply(t *testing.T) {
	submit := Event{Gang: &Gang{Name: "train", Min: 2, Size: 2}}
	end := Event{Gang: &Gang{Name: "train", Ended: true}}
	pod := func(uid, gang string) Event { return Event{Pod: &Pod{UID: uid, Gang: gang, Node: "n"}} }
	gone := func(uid, gang string) Event { return Event{Pod: &Pod{UID: uid, Gang: gang, Gone: true}} }

	// names are the keys of each map of the state; Train are the gang's pods.
	// Seen counts Train's, and those that went.
	type names struct {
		Nodes, Groups, Gangs, Train, Others []string
		Seen                                int
	}
	tests := map[string]struct {
		events []Event
		want   names
	}{
		"pods belong to their gang or to none": {
			events: []Event{submit, pod("1", "train"), pod("2", ""), pod("3", "unheard-of")},
			want:   names{Gangs: []string{"train"}, Train: []string{"1"}, Others: []string{"2", "3"}, Seen: 1},
		},
		"what is gone is gone": {
			events: []Event{
				submit, pod("1", "train"), gone("1", "train"), pod("2", ""), gone("2", ""),
				{Node: &Node{Name: "n"}}, {Node: &Node{Name: "m"}}, {Node: &Node{Name: "n", Gone: true}},
				{Group: &Group{Name: "g"}}, {Group: &Group{Name: "h"}}, {Group: &Group{Name: "g", Gone: true}},
			},
			want: names{Nodes: []string{"m"}, Groups: []string{"h"}, Gangs: []string{"train"}, Seen: 1},
		},
		"the pods of an ended gang still take room": {
			events: []Event{submit, pod("1", "train"), end},
			want:   names{Others: []string{"1"}},
		},
		"a gang submitted anew does not inherit pods": {
			events: []Event{submit, pod("1", "train"), end, submit, pod("1", "train"), pod("2", "train")},
			want:   names{Gangs: []string{"train"}, Train: []string{"2"}, Others: []string{"1"}, Seen: 1},
		},
		"the old pods go in the end": {
			events: []Event{submit, pod("1", "train"), end, submit, gone("1", "train")},
			want:   names{Gangs: []string{"train"}},
		},
		"a gang of which another size is meant keeps its pods": {
			events: []Event{submit, pod("1", "train"), submit, pod("1", "train"), pod("2", "train")},
			want:   names{Gangs: []string{"train"}, Train: []string{"1", "2"}, Seen: 2},
		},
		"a gang that never was ends": {
			events: []Event{end, pod("1", "train")},
			want:   names{Others: []string{"1"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := NewState()
			for i, e := range test.events {
				e.At = Time(i + 1)
				s.Apply(e)
			}
			got := names{Nodes: keys(s.Nodes), Groups: keys(s.Groups), Gangs: keys(s.Gangs), Others: keys(s.Others)}
			if g := s.Gangs["train"]; g != nil {
				got.Train, got.Seen = keys(g.Pods), g.Seen
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if want := Time(len(test.events)); s.Now != want {
				t.Errorf("Now is %s, want %s", s.Now, want)
			}
		})
	}
}

func TestSubmittedIsTheLastTime(t *testing.T) {
	s := NewState()
	s.Apply(Event{At: 1, Gang: &Gang{Name: "train", Min: 2, Size: 2}})
	s.Apply(Event{At: 2, Gang: &Gang{Name: "train", Ended: true}})
	s.Apply(Event{At: 3, Gang: &Gang{Name: "train", Min: 1, Size: 4}})
	g := s.Gangs["train"]
	if g == nil || g.Submitted != 3 || g.Min != 1 || g.Size != 4 {
		t.Errorf("got %+v, want the gang of 4 that was submitted at 3", g)
	}
}

func keys[T any](m map[string]T) []string { return slices.Sorted(maps.Keys(m)) }

// A gang that is given other numbers keeps its pods, and a job is known while it is there.
func TestChangedGang(t *testing.T) {
	s := NewState()
	s.Apply(Event{At: 1, Gang: &Gang{Name: "a", Min: 4, Size: 4}})
	s.Apply(Event{Pod: &Pod{UID: "1", Name: "a-0", Gang: "a", Node: "n"}})
	s.Apply(Event{Step: &Step{Op: "scale"}})
	s.Apply(Event{Gang: &Gang{Name: "a", Min: 2, Size: 2}})
	s.Apply(Event{Refused: &Refused{Name: "a", Err: "no"}})
	s.Apply(Event{Pod: &Pod{UID: "1", Name: "a-0", Gang: "a", Node: "n", Deleting: true}})
	g := s.Gangs["a"]
	if g.Min != 2 || g.Size != 2 || g.Refused != "no" || g.Submitted != 1 || g.Seen != 1 || len(g.Pods) != 1 || g.Evicted != 0 {
		t.Errorf("got %+v", g)
	}
	s.Apply(Event{Job: &Job{Name: "a", Conditions: []string{"Failed"}, Failed: "so"}})
	if s.Jobs["a"] == nil || s.Jobs["a"].Failed != "so" {
		t.Errorf("got the job %+v", s.Jobs["a"])
	}
	s.Apply(Event{Job: &Job{Name: "a", Gone: true}})
	if s.Jobs["a"] != nil {
		t.Error("the job is gone, and still there")
	}
}
