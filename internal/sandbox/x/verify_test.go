package x

import (
	"net/http"
	"net/url"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

// Proves: V10.2.1
func TestVerify(t *testing.T) {
	t.Parallel()
	type before = func(*handSigned)
	type after = func(*http.Request)
	oauth := func(name, value string) before { return func(h *handSigned) { h.oauth[name] = value } }
	without := func(name string) before { return func(h *handSigned) { delete(h.oauth, name) } }
	base := func(base string) before { return func(h *handSigned) { h.base = base } }
	at := func(d time.Duration) before {
		return func(h *handSigned) { h.oauth["oauth_timestamp"] = strconv.FormatInt(h.w.clock.Now().Add(d).Unix(), 10) }
	}
	header := func(value string) after { return func(r *http.Request) { r.Header.Set("Authorization", value) } }
	for name, tt := range map[string]struct {
		before before
		after  after
		status int
	}{
		"a valid call":                       {status: 200},
		"a query is part of the signature":   {before: func(h *handSigned) { h.path = "/2/tweets?ids=1%2C2" }, status: 200},
		"a configured base":                  {before: base("https://api.x.com"), status: 200},
		"another base":                       {before: base("https://evil.example"), status: 401},
		"no version":                         {before: without("oauth_version"), status: 200},
		"another version":                    {before: oauth("oauth_version", "2.0"), status: 401},
		"a wrong consumer secret is refused": {before: func(h *handSigned) { h.consumerSecret = "x" }, status: 401},
		"a wrong token secret is refused":    {before: func(h *handSigned) { h.tokenSecret = "x" }, status: 401},
		"an unknown app is refused":          {before: oauth("oauth_consumer_key", "x"), status: 401},
		"an unknown token is refused":        {before: oauth("oauth_token", "x"), status: 401},
		"a request token is refused": {before: func(h *handSigned) {
			h.oauth["oauth_token"], h.tokenSecret = h.w.sandbox.requests.open(callback)
		}, status: 401},
		"no token is refused":                      {before: without("oauth_token"), status: 401},
		"no nonce is refused":                      {before: without("oauth_nonce"), status: 401},
		"another signature method is refused":      {before: oauth("oauth_signature_method", "PLAINTEXT"), status: 401},
		"a timestamp six minutes old is refused":   {before: at(-6 * time.Minute), status: 401},
		"a timestamp six minutes ahead is refused": {before: at(6 * time.Minute), status: 401},
		"a timestamp four minutes old":             {before: at(-4 * time.Minute), status: 200},
		"a timestamp that is no number is refused": {before: oauth("oauth_timestamp", "now"), status: 401},
		"a query added on the way is refused":      {after: func(r *http.Request) { r.URL.RawQuery = "user.fields=id" }, status: 401},
		"a path changed on the way is refused":     {after: func(r *http.Request) { r.URL.Path = "/2/tweets" }, status: 401},
		"no header is refused":                     {after: func(r *http.Request) { r.Header.Del("Authorization") }, status: 401},
		"a bearer token is refused":                {after: header("Bearer x"), status: 401},
		"a value without quotes is refused":        {after: header("OAuth oauth_nonce=b"), status: 401},
		"a parameter that comes twice is refused": {after: func(r *http.Request) {
			r.Header.Set("Authorization", r.Header.Get("Authorization")+`, oauth_nonce="b"`)
		}, status: 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newWorld(t).handSigned()
			if tt.before != nil {
				tt.before(&h)
			}
			r := h.request()
			if tt.after != nil {
				tt.after(r)
			}
			answer := h.w.do(testwait.Client, r)
			require.Equal(t, tt.status, answer.status, answer.body)
			require.Equal(t, "read-write", answer.header.Get("x-access-level"))
			if tt.status == http.StatusUnauthorized {
				require.JSONEq(t, `{"title":"Unauthorized","type":"about:blank","status":401,"detail":"Unauthorized"}`, answer.body)
			}
		})
	}
}

// Proves: V10.2.1
func TestACallComesOnce(t *testing.T) {
	t.Parallel()
	h := newWorld(t).handSigned()
	forged := h
	forged.consumerSecret = "guessed"
	require.Equal(t, http.StatusUnauthorized, forged.send().status, "a refused call does not use up the nonce")
	require.Equal(t, http.StatusOK, h.send().status)
	require.Equal(t, http.StatusUnauthorized, h.send().status)
}

// TestSignIsWhatXDocuments uses the example in X's documentation.
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
func TestSignedParams(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		rest url.Values
		want string
	}{
		"a parameter repeated from the header counts once": {url.Values{"oauth_token": {"t"}}, "oauth_token=t"},
		"a parameter that differs from the header counts":  {url.Values{"oauth_token": {"u"}}, "oauth_token=t&oauth_token=u"},
		"names order before values":                        {url.Values{"a": {"2", "1"}, "a!": {"0"}}, "a=1&a=2&a%21=0&oauth_token=t"},
		"an empty value counts":                            {url.Values{"z": {""}}, "oauth_token=t&z="},
		"an encoded character orders by its encoded form":  {url.Values{"é": {"1"}, "b": {"1"}}, "%C3%A9=1&b=1&oauth_token=t"},
	} {
		require.Equal(t, tt.want, signedParams(map[string]string{"oauth_token": "t"}, tt.rest), name)
	}
}
