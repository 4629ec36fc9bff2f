package httpapi

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"customerzero/internal/domain/suggest"
)

const (
	oneOf            = "must be one of: "
	unknownParameter = "unknown query parameter" // as Huma words it
)

// OneOf lists the allowed values of a field. It quotes the given value only if it is a misspelling of one of
// them, because any other value may be a secret in the wrong field.
func OneOf(given string, allowed []string) string {
	allowed = slices.DeleteFunc(slices.Clone(allowed), func(word string) bool { return word == "" })
	return oneOf + strings.Join(allowed, ", ") + didYouMean(given, allowed)
}

// explain adds the allowed names to one of Huma's errors: to every value outside an enum, and to the first
// unknown field only, so that a reply stays short.
func explain(hctx huma.Context, wrong *huma.ErrorDetail, listed bool) (reason string, nowListed bool) {
	switch {
	case hctx == nil:
	case strings.HasPrefix(wrong.Message, oneOf):
		given, _ := wrong.Value.(string)
		if schema := schemaAt(hctx, wrong.Location); schema != nil {
			return OneOf(given, Map(schema.Enum, func(value any) string { return fmt.Sprint(value) })), listed
		}
	case wrong.Message == unknownParameter || wrong.Message == validation.MsgUnexpectedProperty:
		given, known := knownNames(hctx, wrong)
		reason = wrong.Message
		if !listed && len(known) > 0 {
			reason += "; known: " + strings.Join(known, ", ")
		}
		return reason + didYouMean(given, known), listed || len(known) > 0
	}
	return wrong.Message, listed
}

// didYouMean suggests the allowed word nearest to the given one, if one is near.
func didYouMean(given string, allowed []string) string {
	nearest := suggest.Nearest(given, allowed)
	if nearest == "" {
		return ""
	}
	return fmt.Sprintf("; you sent %q, did you mean %q?", given, nearest)
}

type schemasKey struct{}

// knownNames returns the names that the contract allows next to an unknown field or query parameter.
func knownNames(hctx huma.Context, wrong *huma.ErrorDetail) (given string, known []string) {
	if name, isQuery := strings.CutPrefix(wrong.Location, "query."); isQuery {
		for _, p := range hctx.Operation().Parameters {
			if p.In == "query" {
				known = append(known, p.Name)
			}
		}
		return name, known
	}
	object, _ := wrong.Value.(map[string]any)
	for name := range object {
		parent, isField := strings.CutSuffix(wrong.Location, "."+name)
		if !isField {
			continue
		}
		if schema := schemaAt(hctx, parent); schema != nil && schema.Properties[name] == nil {
			return name, slices.Sorted(maps.Keys(schema.Properties))
		}
	}
	return "", nil
}

// schemaAt returns the schema of a parameter or of a field of the JSON body, or nil. Locations are Huma's, like
// query.status or body.times[0].weekday.
func schemaAt(hctx huma.Context, location string) *huma.Schema {
	in, path, _ := strings.Cut(location, ".")
	op := hctx.Operation()
	for _, p := range op.Parameters {
		if p.In == in && p.Name == path {
			return p.Schema
		}
	}
	schemas, ok := hctx.Context().Value(schemasKey{}).(huma.Registry)
	if in != "body" || !ok || op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
		return nil
	}
	schema := op.RequestBody.Content["application/json"].Schema
	for name := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '.' || r == '[' }) {
		if schema = resolved(schemas, schema); schema == nil {
			return nil
		}
		if strings.HasSuffix(name, "]") {
			schema = schema.Items
		} else {
			schema = schema.Properties[name]
		}
	}
	return resolved(schemas, schema)
}

func resolved(schemas huma.Registry, schema *huma.Schema) *huma.Schema {
	for schema != nil && schema.Ref != "" {
		schema = schemas.SchemaFromRef(schema.Ref)
	}
	return schema
}
