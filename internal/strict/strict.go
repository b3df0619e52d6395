// Package strict decodes our own YAML files: one document, no unknown field, no
// field twice. Errors name the field by its path.
package strict

import (
	"bytes"
	"errors"
	"fmt"

	sjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// YAML decodes the file's data.
func YAML(file string, data []byte, into any) error {
	if n := documents(data); n != 1 {
		return fmt.Errorf("%s: must hold one document, holds %d", file, n)
	}
	text, err := yaml.YAMLToJSONStrict(data)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := JSON(text, into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// JSON decodes with the same strictness.
func JSON(text []byte, into any) error {
	unknown, err := sjson.UnmarshalStrict(text, into)
	if err != nil {
		return err
	}
	return errors.Join(unknown...)
}

// documents counts the documents that hold more than comments.
func documents(data []byte) int {
	n, filled := 0, false
	for line := range bytes.Lines(data) {
		line = bytes.TrimRight(line, " \r\n")
		switch {
		case bytes.Equal(line, []byte("---")):
			filled = false
		case len(line) > 0 && line[0] != '#' && !filled:
			filled = true
			n++
		}
	}
	return n
}
