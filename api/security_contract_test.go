package api

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/danielgtaylor/huma/v2"
	"github.com/stretchr/testify/require"
)

// secretWords are what a parameter that carries a secret would be called.
var secretWords = regexp.MustCompile(`(?i)token|secret|password|passphrase|credential|session|cookie|signature|proof|(^|_|-)(api)?key$|^code$|otp|auth`)

// secretsInAddresses have to be there, and why it does little harm.
var secretsInAddresses = map[string]string{
	"POST /unsubscribe: proof": "mail programs press a link; all it does is to end emails",
}

// Addresses stand in histories, logs of proxies and Referer headers.
// Proves: V14.2.1
func TestV14_2_1_NoAddressCarriesASecret(t *testing.T) {
	t.Parallel()
	_, contract := (&Server{}).routes()
	excused := slices.Sorted(maps.Keys(secretsInAddresses))
	var found []string
	for path, item := range contract.OpenAPI().Paths {
		for method, op := range map[string]*huma.Operation{"GET": item.Get, "POST": item.Post, "PUT": item.Put, "PATCH": item.Patch, "DELETE": item.Delete} {
			if op == nil {
				continue
			}
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
