package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// PostgreSQL keeps no zero byte, and JSON can name one: whatever field it stands in, it is refused,
// or left out, and not found to be our own failure.
// Proves: F29
func TestAZeroByteInAnyFieldIsNoFailureOfOurs(t *testing.T) {
	t.Parallel()
	c := &cast{kind: "postgres"}
	w := c.on(t)
	routes, as := c.takers(t)
	texts := textFields(t)
	tried := 0
	for _, route := range routes {
		for _, field := range texts[route] {
			body := map[string]any{}
			require.NoError(t, json.Unmarshal([]byte(answers[route].body), &body), route)
			body[field] = "a\x00b"
			text, err := json.Marshal(body)
			require.NoError(t, err)
			rec := w.answer(t, w.request(t, w.callTo(route, string(text), c.ids, as(route).token, "", "none")))
			require.Less(t, rec.Code, http.StatusInternalServerError, "%s, %s: %s", route, field, rec.Body)
			tried++
		}
	}
	require.Greater(t, tried, 60)
}

// textFields are what a body of each route may hold as text.
func textFields(t *testing.T) map[string][]string {
	t.Helper()
	type schema struct {
		Ref        string `yaml:"$ref"`
		Type       any
		Enum       []any
		Properties map[string]schema
	}
	var contract struct {
		Paths map[string]map[string]struct {
			RequestBody struct {
				Content map[string]struct{ Schema schema }
			} `yaml:"requestBody"`
		}
		Components struct{ Schemas map[string]schema }
	}
	text, err := os.ReadFile("openapi.yaml")
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(text, &contract))
	fields := map[string][]string{}
	for path, methods := range contract.Paths {
		for method, operation := range methods {
			body := operation.RequestBody.Content["application/json"].Schema
			if name, named := strings.CutPrefix(body.Ref, "#/components/schemas/"); named {
				body = contract.Components.Schemas[name]
			}
			route := strings.ToUpper(method) + " " + path
			for _, name := range slices.Sorted(maps.Keys(body.Properties)) {
				if p := body.Properties[name]; p.Type == "string" && len(p.Enum) == 0 {
					fields[route] = append(fields[route], name)
				}
			}
		}
	}
	return fields
}
