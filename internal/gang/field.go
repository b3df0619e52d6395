package gang

import (
	"strconv"
	"strings"
)

// Field reads a dotted path of an object; a number in it is the place in a list. Nil
// is nothing there.
func Field(object any, path string) any {
	for key := range strings.SplitSeq(path, ".") {
		switch at := object.(type) {
		case map[string]any:
			object = at[key]
		case []any:
			i, err := strconv.Atoi(key)
			if err != nil || i < 0 || i >= len(at) {
				return nil
			}
			object = at[i]
		default:
			return nil
		}
	}
	return object
}

// put writes a value at a path, and makes what is missing on the way.
func put(object map[string]any, path string, value any) {
	keys := strings.Split(path, ".")
	object[keys[0]] = with(object[keys[0]], keys[1:], value)
}

// with returns the node with the value at the path below it.
func with(node any, keys []string, value any) any {
	if len(keys) == 0 {
		return value
	}
	if i, err := strconv.Atoi(keys[0]); err == nil {
		list, _ := node.([]any)
		for len(list) <= i {
			list = append(list, nil)
		}
		list[i] = with(list[i], keys[1:], value)
		return list
	}
	fields, _ := node.(map[string]any)
	if fields == nil {
		fields = map[string]any{}
	}
	fields[keys[0]] = with(fields[keys[0]], keys[1:], value)
	return fields
}
