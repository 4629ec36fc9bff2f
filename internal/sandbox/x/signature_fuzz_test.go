package x

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is read out of a header can be written into one again, and says the same.
func FuzzAuthorization(f *testing.F) {
	for _, header := range []string{
		`OAuth oauth_consumer_key="k", oauth_nonce="n", oauth_signature="a%2Bb%3D", oauth_timestamp="1318622958", oauth_token="t"`,
		`oauth realm="",a="%00"`, `OAuth ="x"`, `OAuth a=""`, `OAuth a="b",a="c"`, `OAuth a="b",%61="c"`, `OAuth a="%zz"`, `OAuth a=b`, `OAuth`, ``,
		`OAuth a="b,c"`, "OAuth\ta=\"b\"", `Bearer a="b"`, `OAuth é="\xff"`, `OAuth a="b=\"c\""`, `OAuth a="+"`,
	} {
		f.Add(header)
	}
	f.Fuzz(func(t *testing.T, header string) {
		params, ok := parseAuthorization(header)
		if !ok {
			require.Empty(t, params)
			return
		}
		again, ok := parseAuthorization(written(params))
		require.True(t, ok, header)
		require.Equal(t, params, again)

		signed := signedParams(params, url.Values{"b": {"2", "1"}})
		require.Equal(t, signed, signedParams(again, url.Values{"b": {"1", "2"}}), "the order does not matter")
		names, err := url.ParseQuery(strings.ReplaceAll(signed, "+", "%2B"))
		require.NoError(t, err)
		require.NotContains(t, names, "realm")
		require.NotContains(t, names, "oauth_signature")
	})
}

// written is a header of the OAuth scheme.
func written(params map[string]string) string {
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(params)) {
		pairs = append(pairs, encode(name)+`="`+encode(params[name])+`"`)
	}
	return "OAuth " + strings.Join(pairs, ", ")
}
