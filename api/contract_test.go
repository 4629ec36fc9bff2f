package api

import (
	"encoding/json"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite openapi.yaml")

// The contract changes only on purpose: make gen rewrites it, and the diff is reviewed.
// Proves: V15.3.1
func TestContract(t *testing.T) {
	_, contract := (&Server{}).routes()
	now, err := contract.OpenAPI().YAML()
	require.NoError(t, err)

	if *update {
		require.NoError(t, os.WriteFile("openapi.yaml", now, 0o600))
	}
	kept, err := os.ReadFile("openapi.yaml")
	require.NoError(t, err)
	require.Equal(t, string(kept), string(now), "run make gen and review the diff")
	require.NotContains(t, string(now), "uniqueItems", "the library that checks them fails on arrays in arrays")
}

// operationsOf returns the operations of the contract, by method and path.
func operationsOf(contract huma.API) map[string]*huma.Operation {
	all := map[string]*huma.Operation{}
	for path, item := range contract.OpenAPI().Paths {
		for method, op := range map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete} {
			if op != nil {
				all[method+" "+path] = op
			}
		}
	}
	return all
}

// verbs are the first words of summaries.
var verbs = regexp.MustCompile(`^(Add|Approve|Cancel|Change|Check|Complete|Connect|Create|Delete|Diagnose|Disconnect|Download|Edit|Email|End|Generate|Get|` +
	`Import|List|Log|Move|Pause|Preview|Publish|Receive|Record|Refund|Register|Remove|Replace|Replay|Report|Restore|Retry|Roll|Run|Save|Set|Start|` +
	`Stream|Submit|Switch|Try|Turn|Unsubscribe|Verify|Vote|Withdraw)\b.*[^.]$`)

var sentenceEnd = regexp.MustCompile(`\.(\s|$)`)

func TestReferenceDescribesEveryOperation(t *testing.T) {
	t.Parallel()
	_, contract := (&Server{}).routes()
	known := map[string]bool{}
	for route, op := range operationsOf(contract) {
		known[op.OperationID] = true
		require.Regexp(t, verbs, op.Summary, "%s: begin the summary with a verb", route)
		require.LessOrEqual(t, len(op.Summary), 60, route)
		require.GreaterOrEqual(t, len(sentenceEnd.FindAllString(op.Description, -1)), 2, "%s: describe it in reference.yaml", route)
		if body := op.RequestBody; body != nil {
			requireExample(t, contract, route+": request", body.Content[jsonType], huma.ModeWriteToServer)
		}
		for status, response := range op.Responses {
			if strings.HasPrefix(status, "2") && (op.Responses["200"] == nil || status == "200") {
				requireExample(t, contract, route+": response", response.Content[jsonType], huma.ModeReadFromServer)
			}
		}
	}
	for id := range reference() {
		require.True(t, known[id], "reference.yaml: there is no operation %s", id)
	}
}

// requireExample checks that a JSON body has an example that its schema accepts. A raw body, whose schema is a string,
// has none.
func requireExample(t *testing.T, contract huma.API, name string, body *huma.MediaType, mode huma.ValidateMode) {
	if body == nil || body.Schema.Type == huma.TypeString {
		return
	}
	require.NotNil(t, body.Example, "%s: add an example to reference.yaml", name)
	text, err := json.Marshal(body.Example)
	require.NoError(t, err, name)
	var example any
	require.NoError(t, json.Unmarshal(text, &example), name)
	result := &huma.ValidateResult{}
	huma.Validate(contract.OpenAPI().Components.Schemas, body.Schema, huma.NewPathBuffer(nil, 0), mode, example, result)
	require.Empty(t, result.Errors, name)
}

// TestContractHasNoCollidingNames checks the names that generators of clients derive: one type for each operation's
// request, parameters and response, and one for each property with its own type. oapi-codegen refuses the contract if
// two are the same.
func TestContractHasNoCollidingNames(t *testing.T) {
	t.Parallel()
	_, contract := (&Server{}).routes()
	names := map[string]string{}
	take := func(name, where string) {
		name = strings.ToLower(strings.NewReplacer("_", "", "-", "").Replace(name))
		require.Empty(t, names[name], "%s gets the same name", where)
		names[name] = where
	}
	for route, op := range operationsOf(contract) {
		for _, suffix := range []string{"Params", "JSONBody", "JSONRequestBody", "Response"} {
			take(op.OperationID+suffix, route)
		}
	}
	var takeProperties func(of string, s *huma.Schema)
	takeProperties = func(of string, s *huma.Schema) {
		for name, property := range s.Properties {
			if property.Type == huma.TypeArray {
				property, name = property.Items, name+"Item"
			}
			if property.Ref == "" && (len(property.Enum) > 0 || property.Type == huma.TypeObject) {
				take(of+name, of+"."+name)
				takeProperties(of+name, property)
			}
		}
	}
	schemas := contract.OpenAPI().Components.Schemas.Map()
	for name := range schemas {
		take(name, "schema "+name)
	}
	for name, s := range schemas {
		takeProperties(name, s)
	}
}
