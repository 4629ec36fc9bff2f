package x

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// The example that X's documentation signs by hand.
// Proves: V10.2.1
func TestSignIsWhatXDocuments(t *testing.T) {
	t.Parallel()
	header := map[string]string{
		"oauth_consumer_key": "xvz1evFS4wEEPTGEFPHBog", "oauth_nonce": "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg",
		"oauth_signature_method": "HMAC-SHA1", "oauth_timestamp": "1318622958", "oauth_version": "1.0",
		"oauth_token": "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb", "oauth_signature": "not signed", "realm": "nor this",
	}
	params := signedParams(header, url.Values{"include_entities": {"true"}},
		url.Values{"status": {"Hello Ladies + Gentlemen, a signed OAuth request!"}})
	require.Equal(t, "hCtSmYh+iHYCEqBWrE7C7hYmtUk=", sign("POST", "https://api.twitter.com/1.1/statuses/update.json",
		params, "kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw", "LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE"))
}

// Proves: V10.2.1
func TestEncodeIsRFC3986(t *testing.T) {
	t.Parallel()
	require.Equal(t, "aZ09-._~%20%21%2A%27%28%29%2B%E2%98%83%2F%3D%26%25", encode("aZ09-._~ !*'()+☃/=&%"))
}

// Proves: V10.2.1
func TestSignedParams(t *testing.T) {
	t.Parallel()
	header := map[string]string{"oauth_token": "t"}
	for name, tt := range map[string]struct {
		rest url.Values
		want string
	}{
		"a parameter repeated from the header counts once":   {url.Values{"oauth_token": {"t"}}, "oauth_token=t"},
		"a parameter that differs from the header counts":    {url.Values{"oauth_token": {"u"}}, "oauth_token=t&oauth_token=u"},
		"names order before values":                          {url.Values{"a": {"2", "1"}, "a!": {"0"}}, "a=1&a=2&a%21=0&oauth_token=t"},
		"an empty value counts":                              {url.Values{"z": {""}}, "oauth_token=t&z="},
		"an encoded character orders by its encoded letters": {url.Values{"é": {"1"}, "b": {"1"}}, "%C3%A9=1&b=1&oauth_token=t"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			require.Equal(t, tt.want, signedParams(header, tt.rest))
		})
	}
}

// Proves: V10.2.1
func TestSignedBase(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{
		"HTTPS://API.X.com:443/": "https://api.x.com",
		"http://127.0.0.1:80":    "http://127.0.0.1",
		"http://localhost:443":   "http://localhost:443",
		"https://host/Proxy/x/":  "https://host/Proxy/x",
	} {
		u, err := url.Parse(given)
		require.NoError(t, err)
		require.Equal(t, want, signedBase(u))
	}
}

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
