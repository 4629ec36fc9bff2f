package contract

import (
	"encoding/json"
	"iter"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/google/jsonschema-go/jsonschema"
)

// judge marks a request as wrong if a parameter does not fit its schema. An empty value counts as omitted, and a parameter of
// a type that servers accept in many spellings is not judged.
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
			r.wrong(p.Name + " has another format")
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

func (m *Maker) judgeJSON(r *Request, schema *jsonschema.Schema, text []byte) {
	if len(text) == 0 {
		return
	}
	var value any
	if json.Unmarshal(text, &value) != nil {
		r.wrong("its body is not JSON")
		return
	}
	if err := m.Contract.misfit(schema, withoutNulls(value)); err != nil {
		r.wrong("its body does not fit: " + clipped(err.Error()))
	}
}

// withoutNulls drops fields that are null: servers accept null for an omitted field, and no schema mentions it.
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

// keys are sorted, so that the same random numbers make the same request.
func keys[V any](of map[string]V) iter.Seq[string] {
	return slices.Values(slices.Sorted(maps.Keys(of)))
}

// isOf says whether a text has a format. Formats that the contract does not use allow every text.
func isOf(format, text string) bool {
	var err error
	switch format {
	case "date-time":
		_, err = time.Parse(time.RFC3339, text)
	case "date":
		_, err = time.Parse(time.DateOnly, text)
	}
	return err == nil
}
