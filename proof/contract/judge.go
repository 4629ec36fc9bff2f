package contract

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strconv"

	"github.com/google/jsonschema-go/jsonschema"
)

type schemaOf = jsonschema.Schema

// judge says whether a parameter may have a value. An empty one is left out, for all that the
// document says; so are kinds of which many spellings are taken.
func (m *Maker) judge(r *Request, p Parameter, value string) {
	if value == "" {
		return
	}
	schema := m.Contract.target(p.Schema)
	var read any = value
	var err error
	switch kindOf(schema) {
	case "integer":
		read, err = strconv.ParseInt(value, 10, 64)
	case "boolean":
		read, err = strconv.ParseBool(value)
	case "string":
		if !isOf(schema.Format, value) {
			r.wrong(p.Name + " is of another format")
		}
	default:
		return
	}
	if err == nil {
		err = m.Contract.misfit(p.Schema, read)
	}
	if err != nil {
		r.wrong(p.Name + " does not fit")
	}
}

func (m *Maker) judgeJSON(r *Request, schema *schemaOf, text []byte) {
	if len(text) == 0 {
		return
	}
	var value any
	if json.Unmarshal(text, &value) != nil {
		r.wrong("it is no JSON")
		return
	}
	if err := m.Contract.misfit(schema, withoutNulls(value)); err != nil {
		r.wrong("its body does not fit: " + clipped(err.Error()))
	}
}

// withoutNulls leaves out the fields that are null: that is another way of leaving them out, which
// servers take, and which no document names.
func withoutNulls(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, inner := range value {
			if inner == nil {
				delete(value, name)
			} else {
				value[name] = withoutNulls(inner)
			}
		}
	case []any:
		for i, inner := range value {
			value[i] = withoutNulls(inner)
		}
	}
	return value
}

func clipped(text string) string { return text[:min(len(text), 300)] }

// keys are in order, so that the same chance makes the same request.
func keys[V any](of map[string]V) iter.Seq[string] {
	return slices.Values(slices.Sorted(maps.Keys(of)))
}
