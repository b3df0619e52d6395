package cli

import (
	"testing"

	"github.com/gangctl/gangctl/internal/catalog"
	"github.com/gangctl/gangctl/internal/setup"
)

func TestRowsThatRecordControlsGoFirst(t *testing.T) {
	operator := func(version string) *catalog.Pair {
		return &catalog.Pair{Job: &catalog.Job{}, Operator: &catalog.OperatorRelease{Operator: &catalog.Operator{}, Version: version}}
	}
	var rows []row
	for place, c := range []*setup.Chosen{
		{Kubernetes: "v1.34.4"},
		{Kubernetes: "v1.34.4"},
		{Kubernetes: "v1.37.1"},
		{Kubernetes: "v1.34.4", Pair: operator("v1")},
		{Kubernetes: "v1.34.4", Pair: operator("v1")},
		{Kubernetes: "v1.34.4", Pair: operator("v2")},
	} {
		rows = append(rows, row{Chosen: c, place: string(rune('0' + place))})
	}
	inOrder(rows)
	got := ""
	for _, r := range rows {
		got += r.place
	}
	if want := "350241"; got != want {
		t.Errorf("the rows run in the order %s, want %s", got, want)
	}
}

// Whoever ends a row goes on in its lab; whoever begins takes one of those of which the most
// are left.
func TestRowsOfOneLabFollowEachOther(t *testing.T) {
	backend := func(version string) *catalog.Release {
		return &catalog.Release{Backend: &catalog.Backend{}, Version: version}
	}
	var rows []row
	for place, version := range []string{"a", "b", "b", "b", "c"} {
		rows = append(rows, row{Chosen: &setup.Chosen{Release: backend(version)}, place: string(rune('0' + place))})
	}
	q := &rowQueue{rows: rows, running: map[string]int{}}
	last := map[string]string{} // by who asks
	got := ""
	for _, who := range []string{"x", "y", "z", "x", "y", "z"} {
		r, ok := q.take(last[who])
		if !ok {
			got += "-"
			continue
		}
		got += r.place
		last[who] = r.lab()
	}
	// x begins with b, as most are of it, and stays there. To y, a is as good as another of b.
	if want := "10234-"; got != want {
		t.Errorf("the rows were taken in the order %s, want %s", got, want)
	}
}
