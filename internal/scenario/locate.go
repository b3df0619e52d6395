package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"sigs.k8s.io/yaml"
)

// locate finds the step that a case can't be decoded for. The decoder names an
// unknown field by its path, but not a value of the wrong type. Nil is no step.
func locate(data []byte) error {
	var s struct {
		Spec struct {
			Steps []map[string]json.RawMessage `json:"steps"`
		} `json:"spec"`
	}
	if yaml.Unmarshal(data, &s) != nil {
		return nil
	}
	return locateIn("spec.steps", s.Spec.Steps, true)
}

// locateIn looks into a repeat, but into none within a repeat: there must be none.
func locateIn(at string, steps []map[string]json.RawMessage, outer bool) error {
	for i, step := range steps {
		for _, name := range slices.Sorted(maps.Keys(step)) {
			where := fmt.Sprintf("%s[%d]", at, i)
			var inner struct {
				Steps []map[string]json.RawMessage `json:"steps"`
			}
			if name == "repeat" && outer && json.Unmarshal(step[name], &inner) == nil {
				if err := locateIn(where+".repeat.steps", inner.Steps, false); err != nil {
					return err
				}
			}
			alone, err := json.Marshal(map[string]json.RawMessage{name: step[name]})
			if err != nil {
				return nil
			}
			if err := json.Unmarshal(alone, &Step{}); err != nil {
				return fmt.Errorf("%s.%s: %w", where, name, err)
			}
		}
	}
	return nil
}
