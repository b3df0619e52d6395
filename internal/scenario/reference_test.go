package scenario

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/invopop/jsonschema"
)

// schema is the cases' JSON schema, with this package's comments in it.
func schema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	r := &jsonschema.Reflector{
		Anonymous: true, ExpandedStruct: true,
		Mapper: func(t reflect.Type) *jsonschema.Schema {
			switch t {
			case reflect.TypeFor[Duration]():
				return &jsonschema.Schema{Type: "string", Pattern: `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`, Title: "duration"}
			case reflect.TypeFor[ExpectGroup]():
				least := jsonschema.NewProperties()
				least.Set("min", &jsonschema.Schema{Type: "integer", Minimum: "1"})
				least.Set("owned", &jsonschema.Schema{Type: "boolean"})
				least.Set("kept", &jsonschema.Schema{Type: "boolean"})
				return &jsonschema.Schema{Title: "none, or min and perhaps owned and kept", OneOf: []*jsonschema.Schema{
					{Type: "string", Enum: []any{"none"}},
					{Type: "object", Properties: least, Required: []string{"min"}, AdditionalProperties: jsonschema.FalseSchema},
				}}
			case reflect.TypeFor[Bound]():
				return &jsonschema.Schema{Title: "none, all, all-or-none, a number, or a number for each role", OneOf: []*jsonschema.Schema{
					{Type: "string", Enum: []any{"none", "all", "all-or-none"}},
					{Type: "integer", Minimum: "0"},
					{Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "integer", Minimum: "0"}},
				}}
			}
			return nil
		},
	}
	if err := r.AddGoComments("github.com/gangctl/gangctl/internal/scenario", "./", jsonschema.WithFullComment()); err != nil {
		t.Fatal(err)
	}
	for key, text := range r.CommentMap {
		r.CommentMap[key] = strings.Join(strings.Fields(text), " ")
	}
	s := r.Reflect(&Scenario{})
	s.Title = "gangctl case"
	return s
}

func TestSchema(t *testing.T) {
	text, err := json.MarshalIndent(schema(t), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "../../docs/scenario.schema.json", string(text)+"\n")
}

// The reference says what the comments of this package say.
func TestReference(t *testing.T) {
	s := schema(t)
	var out strings.Builder
	out.WriteString(`# Scenario reference

What a case may say. ` + "`go test ./internal/scenario -update`" + ` writes this from the Go types, and
[scenario.schema.json](scenario.schema.json) beside it, for editors: put
` + "`# yaml-language-server: $schema=<path>/docs/scenario.schema.json`" + ` at the top of a case. ` + "`gangctl-verify lint`" + `
checks cases. [semantics.md](semantics.md) defines the words.

A step has one operation, and may have a ` + "`name`" + ` that its control refers to. Durations are text as Go
writes it: ` + "`500ms`, `30s`, `5m`" + `.

`)
	section(&out, "## The case: spec", s.Definitions["Spec"])
	step := s.Definitions["Step"]
	for p := step.Properties.Oldest(); p != nil; p = p.Next() {
		if p.Value.Ref != "" {
			section(&out, "## Operation: "+p.Key, s.Definitions[typeName(p.Value)])
		}
	}
	for _, name := range []string{"Jobs", "Role", "Taint", "Moment", "Control", "Shows"} {
		section(&out, "## "+name, s.Definitions[name])
	}
	golden(t, "../../docs/scenario-reference.md", out.String())
	// Whoever writes a case finds everything in it.
	for name, d := range s.Definitions {
		if d.Description == "" {
			t.Errorf("the type %s has no comment", name)
		}
		for p := d.Properties.Oldest(); p != nil; p = p.Next() {
			// An operation has a comment of its own.
			if p.Value.Description == "" && name != "Step" {
				t.Errorf("%s.%s has no comment", name, p.Key)
			}
		}
	}
}

// section writes a type's comment, and a table of its fields.
func section(out *strings.Builder, title string, s *jsonschema.Schema) {
	fmt.Fprintf(out, "%s\n\n%s\n\n| field | type | meaning |\n| --- | --- | --- |\n", title, s.Description)
	for p := s.Properties.Oldest(); p != nil; p = p.Next() {
		fmt.Fprintf(out, "| `%s` | %s | %s |\n", p.Key, kind(p.Value), strings.ReplaceAll(p.Value.Description, "|", `\|`))
	}
	out.WriteString("\n")
}

func kind(s *jsonschema.Schema) string {
	switch {
	case s.Title != "":
		return s.Title
	case s.Ref != "":
		return typeName(s)
	case s.Type == "array":
		return "list of " + kind(s.Items)
	case s.Type == "object" && s.AdditionalProperties != nil:
		return "map to " + kind(s.AdditionalProperties)
	}
	return s.Type
}

func typeName(s *jsonschema.Schema) string { return strings.TrimPrefix(s.Ref, "#/$defs/") }
