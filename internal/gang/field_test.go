package gang

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFields(t *testing.T) {
	object := map[string]any{"kind": "Workload"}
	put(object, "spec.groups.1.min", int64(4))
	put(object, "spec.groups.1.name", "members")
	want := map[string]any{"kind": "Workload", "spec": map[string]any{"groups": []any{nil, map[string]any{"min": int64(4), "name": "members"}}}}
	if diff := cmp.Diff(want, object); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for path, want := range map[string]any{
		"spec.groups.1.min": int64(4), "kind": "Workload",
		"spec.groups.2.min": nil, "spec.groups.x": nil, "kind.deeper": nil, "nothing": nil,
	} {
		if got := Field(object, path); got != want {
			t.Errorf("%s: got %v, want %v", path, got, want)
		}
	}
}
