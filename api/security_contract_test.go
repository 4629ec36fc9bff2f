package api

import (
	"maps"
	"regexp"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// secretWords matches the names of parameters that carry a secret.
var secretWords = regexp.MustCompile(`(?i)token|secret|password|passphrase|credential|session|cookie|signature|proof|(^|_|-)(api)?key$|^code$|otp|auth`)

// secretsInAddresses lists the exceptions, with the reason.
var secretsInAddresses = map[string]string{
	"POST /unsubscribe: proof": "mail programs follow a link, which can only unsubscribe",
}

// URLs appear in browser histories, proxy logs and Referer headers.
// Proves: V14.2.1
func TestV14_2_1_NoAddressCarriesASecret(t *testing.T) {
	t.Parallel()
	_, contract := (&Server{}).routes()
	excused := slices.Sorted(maps.Keys(secretsInAddresses))
	var found []string
	for route, op := range operationsOf(contract) {
		for _, p := range op.Parameters {
			if (p.In == "query" || p.In == "path") && secretWords.MatchString(p.Name) {
				found = append(found, route+": "+p.Name)
			}
		}
	}
	slices.Sort(found)
	require.Equal(t, excused, found)
}
