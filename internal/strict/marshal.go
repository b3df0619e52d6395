package strict

import (
	"encoding/json"
	"strconv"
	"strings"

	"sigs.k8s.io/yaml"
)

// Marshal writes YAML. It holds any text, also control characters of a program's log,
// which yaml.Marshal refuses.
func Marshal(v any) ([]byte, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	return yaml.JSONToYAML([]byte(escaped(string(text))))
}

// escaped writes what YAML does not allow as escapes. In JSON it is only in strings.
func escaped(text string) string {
	refused := func(r rune) bool { return r == 0x7f || r >= 0x80 && r <= 0x9f || r == 0xfffe || r == 0xffff }
	if strings.IndexFunc(text, refused) < 0 {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if refused(r) {
			hex := strconv.FormatInt(int64(r), 16)
			b.WriteString(`\u` + strings.Repeat("0", 4-len(hex)) + hex)
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}
