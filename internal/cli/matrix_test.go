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
