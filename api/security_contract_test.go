package api

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"
)

// openBodies may name fields that we do not know, and why.
var openBodies = map[string]string{
	"OnboardingAnswers": "the questionnaire's own rules say which answers there are, and refuse the others",
}

// A field that nobody has thought about binds to nothing.
// Proves: V15.3.3
func TestV15_3_3_EveryBodyIsClosed(t *testing.T) {
	t.Parallel()
	_, contract := (&Server{}).routes()
	described, walked := contract.OpenAPI(), 0
	for path, item := range described.Paths {
		for method, op := range operationsOf(item) {
			if op.RequestBody == nil || op.RequestBody.Content["application/json"] == nil {
				continue
			}
			walked++
			c := closing{described.Components.Schemas, map[string]bool{}}
			c.walk(t, method+" "+path, op.RequestBody.Content["application/json"].Schema)
		}
	}
	require.Greater(t, walked, 25)
}

type closing struct {
	schemas huma.Registry
	seen    map[string]bool
}

func (c closing) walk(t *testing.T, where string, s *huma.Schema) {
	t.Helper()
	if s == nil || c.seen[s.Ref] {
		return
	}
	if s.Ref != "" {
		c.seen[s.Ref] = true
		c.walk(t, where+" ("+s.Ref[strings.LastIndex(s.Ref, "/")+1:]+")", c.schemas.SchemaFromRef(s.Ref))
		return
	}
	if s.Type == huma.TypeObject {
		name := strings.Trim(regexp.MustCompile(`\(\w+\)$`).FindString(where), "()")
		require.True(t, s.AdditionalProperties == false || openBodies[name] != "", "%s takes fields that are not named", where)
	}
	c.walk(t, where, s.Items)
	for name, property := range s.Properties {
		c.walk(t, where+"."+name, property)
	}
}

func operationsOf(item *huma.PathItem) map[string]*huma.Operation {
	all := map[string]*huma.Operation{
		"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete,
	}
	maps.DeleteFunc(all, func(_ string, op *huma.Operation) bool { return op == nil })
	return all
}

// secretWords are what a parameter that carries a secret would be called.
var secretWords = regexp.MustCompile(`(?i)token|secret|password|passphrase|credential|session|cookie|signature|proof|(^|_|-)(api)?key$|^code$|otp|auth`)

// secretsInAddresses have to be there, and why it does little harm.
var secretsInAddresses = map[string]string{
	"POST /unsubscribe: proof": "mail programs press a link; all it does is to end letters",
}

// Addresses stand in histories, logs of proxies and Referer headers.
// Proves: V14.2.1
func TestV14_2_1_NoAddressCarriesASecret(t *testing.T) {
	t.Parallel()
	_, contract := (&Server{}).routes()
	excused := slices.Sorted(maps.Keys(secretsInAddresses))
	var found []string
	for path, item := range contract.OpenAPI().Paths {
		for method, op := range operationsOf(item) {
			for _, p := range op.Parameters {
				if (p.In == "query" || p.In == "path") && secretWords.MatchString(p.Name) {
					found = append(found, method+" "+path+": "+p.Name)
				}
			}
		}
	}
	slices.Sort(found)
	require.Equal(t, excused, found)
}
