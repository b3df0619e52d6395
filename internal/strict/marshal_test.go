package strict

import (
	"testing"

	"sigs.k8s.io/yaml"
)

// What is written is read again as it was, whatever character it holds.
func TestMarshalEveryCharacter(t *testing.T) {
	for r := rune(0); r <= 0x10ffff; r++ {
		if r >= 0xd800 && r < 0xe000 || r > 0x30ff && r < 0xfe00 || r > 0x1ffff {
			continue // no characters, and such as are all alike
		}
		if r == 0x85 || r == 0x2028 || r == 0x2029 {
			continue // line breaks, which YAML folds
		}
		want := map[string]string{"text": "a" + string(r) + "b"}
		text, err := Marshal(want)
		if err != nil {
			t.Fatalf("%U: %v", r, err)
		}
		var got map[string]string
		if err := yaml.Unmarshal(text, &got); err != nil || got["text"] != want["text"] {
			t.Fatalf("%U: written as %q, read as %q, %v", r, text, got["text"], err)
		}
	}
}
