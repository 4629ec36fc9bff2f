package x

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

// handSigned is a call signed step by step, so that a test can spoil any of them.
type handSigned struct {
	base, path                                string
	oauth                                     map[string]string
	consumerSecret, tokenSecret, method, form string
}

func newHandSigned(w *world) handSigned {
	return handSigned{
		base: w.url, path: "/2/users/me", method: http.MethodGet,
		consumerSecret: "consumer-secret&%", tokenSecret: "token-secret",
		oauth: map[string]string{
			"oauth_consumer_key": "consumer-key", "oauth_token": "4242-token", "oauth_signature_method": "HMAC-SHA1",
			"oauth_version": "1.0", "oauth_nonce": strconv.FormatInt(time.Now().UnixNano(), 36),
			"oauth_timestamp": strconv.FormatInt(w.clock.Now().Unix(), 10),
		},
	}
}

func (h handSigned) request(t *testing.T, w *world) *http.Request {
	t.Helper()
	path, query, _ := strings.Cut(h.path, "?")
	inQuery, err := url.ParseQuery(query)
	require.NoError(t, err)
	inForm, err := url.ParseQuery(h.form)
	require.NoError(t, err)
	oauth := maps.Clone(h.oauth)
	oauth["oauth_signature"] = sign(h.method, h.base+path, signedParams(h.oauth, inQuery, inForm), h.consumerSecret, h.tokenSecret)
	var pairs []string
	for _, name := range slices.Sorted(maps.Keys(oauth)) {
		pairs = append(pairs, encode(name)+`="`+encode(oauth[name])+`"`)
	}
	r := w.request(h.method, h.path, h.form)
	r.Header.Set("Authorization", "OAuth "+strings.Join(pairs, ", "))
	if h.form != "" {
		r.Header.Set("Content-Type", formType)
	}
	return r
}

// Proves: V10.2.1
func TestVerify(t *testing.T) {
	t.Parallel()
	at := func(d time.Duration) func(*world, *handSigned, *http.Request) {
		return func(w *world, h *handSigned, _ *http.Request) {
			h.oauth["oauth_timestamp"] = strconv.FormatInt(w.clock.Now().Add(d).Unix(), 10)
		}
	}
	type spoil func(*world, *handSigned, *http.Request)
	for name, tt := range map[string]struct {
		before, after spoil
		status        int
	}{
		"a good call is let in":                    {status: 200},
		"a query is part of the signature":         {before: func(_ *world, h *handSigned, _ *http.Request) { h.path += "?user.fields=id%2Cname" }, status: 200},
		"a public base is as good as our own":      {before: func(_ *world, h *handSigned, _ *http.Request) { h.base = "https://api.x.com" }, status: 200},
		"another base is not":                      {before: func(_ *world, h *handSigned, _ *http.Request) { h.base = "https://evil.example" }, status: 401},
		"no version is fine":                       {before: func(_ *world, h *handSigned, _ *http.Request) { delete(h.oauth, "oauth_version") }, status: 200},
		"another version is not":                   {before: func(_ *world, h *handSigned, _ *http.Request) { h.oauth["oauth_version"] = "2.0" }, status: 401},
		"a wrong consumer secret is refused":       {before: func(_ *world, h *handSigned, _ *http.Request) { h.consumerSecret = "x" }, status: 401},
		"a wrong token secret is refused":          {before: func(_ *world, h *handSigned, _ *http.Request) { h.tokenSecret = "x" }, status: 401},
		"an unknown app is refused":                {before: func(_ *world, h *handSigned, _ *http.Request) { h.oauth["oauth_consumer_key"] = "x" }, status: 401},
		"an unknown token is refused":              {before: func(_ *world, h *handSigned, _ *http.Request) { h.oauth["oauth_token"] = "x" }, status: 401},
		"no token is refused":                      {before: func(_ *world, h *handSigned, _ *http.Request) { delete(h.oauth, "oauth_token") }, status: 401},
		"no nonce is refused":                      {before: func(_ *world, h *handSigned, _ *http.Request) { delete(h.oauth, "oauth_nonce") }, status: 401},
		"another signature method is refused":      {before: func(_ *world, h *handSigned, _ *http.Request) { h.oauth["oauth_signature_method"] = "PLAINTEXT" }, status: 401},
		"a timestamp from yesterday is refused":    {before: at(-24 * time.Hour), status: 401},
		"a timestamp six minutes old is refused":   {before: at(-6 * time.Minute), status: 401},
		"a timestamp six minutes ahead is refused": {before: at(6 * time.Minute), status: 401},
		"a timestamp four minutes old is fine":     {before: at(-4 * time.Minute), status: 200},
		"a timestamp that is no number is refused": {before: func(_ *world, h *handSigned, _ *http.Request) { h.oauth["oauth_timestamp"] = "now" }, status: 401},
		"a query added on the way is refused":      {after: func(_ *world, _ *handSigned, r *http.Request) { r.URL.RawQuery = "user.fields=id" }, status: 401},
		"a path changed on the way is refused":     {after: func(_ *world, _ *handSigned, r *http.Request) { r.URL.Path = "/2/tweets/1" }, status: 401},
		"no header is refused":                     {after: func(_ *world, _ *handSigned, r *http.Request) { r.Header.Del("Authorization") }, status: 401},
		"a bearer token is refused":                {after: func(_ *world, _ *handSigned, r *http.Request) { r.Header.Set("Authorization", "Bearer x") }, status: 401},
		"a parameter that comes twice is refused": {after: func(_ *world, _ *handSigned, r *http.Request) {
			r.Header.Set("Authorization", r.Header.Get("Authorization")+`, oauth_nonce="b"`)
		}, status: 401},
		"a value without quotes is refused": {after: func(_ *world, _ *handSigned, r *http.Request) { r.Header.Set("Authorization", `OAuth oauth_nonce=b`) }, status: 401},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			h := newHandSigned(w)
			if tt.before != nil {
				tt.before(w, &h, nil)
			}
			r := h.request(t, w)
			if tt.after != nil {
				tt.after(w, &h, r)
			}
			response, err := testwait.Client.Do(r)
			require.NoError(t, err)
			answer := read(t, response)
			require.Equal(t, tt.status, answer.status, answer.body)
			require.Equal(t, "read-write", answer.header.Get("x-access-level"))
			if tt.status == http.StatusUnauthorized {
				require.JSONEq(t, `{"title":"Unauthorized","type":"about:blank","status":401,"detail":"Unauthorized"}`, answer.body)
			}
		})
	}
}

func TestOldEndpointsSayWhyTheyRefuse(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		spoil  func(*handSigned)
		status int
		code   float64
	}{
		"a wrong secret":         {func(h *handSigned) { h.consumerSecret = "x" }, 401, 32},
		"an unknown token":       {func(h *handSigned) { h.oauth["oauth_token"] = "x" }, 401, 89},
		"an old timestamp":       {func(h *handSigned) { h.oauth["oauth_timestamp"] = "1318622958" }, 401, 135},
		"no app":                 {func(h *handSigned) { h.oauth = map[string]string{"": ""} }, 401, 32},
		"a form that was signed": {func(h *handSigned) { h.form = "a=%21%2A&b=+c" }, 200, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			h := newHandSigned(w)
			h.method, h.path = http.MethodPost, "/1.1/oauth/invalidate_token"
			tt.spoil(&h)
			response, err := testwait.Client.Do(h.request(t, w))
			require.NoError(t, err)
			answer := read(t, response)
			require.Equal(t, tt.status, answer.status, answer.body)
			if tt.code != 0 {
				require.InDelta(t, tt.code, answer.at(t, "errors.0.code"), 0)
			}
		})
	}
}

// Proves: V10.2.1
func TestACallComesOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := newHandSigned(w)
	for _, status := range []int{http.StatusOK, http.StatusUnauthorized} {
		response, err := testwait.Client.Do(h.request(t, w))
		require.NoError(t, err)
		require.Equal(t, status, read(t, response).status)
	}
}

// Proves: V10.2.1
func TestANonceIsNotUsedUpByACallThatWasRefused(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	h := newHandSigned(w)
	forged := h
	forged.consumerSecret = "guessed"
	response, err := testwait.Client.Do(forged.request(t, w))
	require.NoError(t, err)
	require.Equal(t, http.StatusUnauthorized, read(t, response).status)
	response, err = testwait.Client.Do(h.request(t, w))
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, read(t, response).status)
}

func TestNoncesRememberABoundedNumberOfCalls(t *testing.T) {
	t.Parallel()
	n := newNonces(3)
	for _, nonce := range []string{"a", "b", "c"} {
		require.True(t, n.use(nonce))
	}
	require.False(t, n.use("a"))
	require.True(t, n.use("d"), "the fourth pushes the first out")
	require.False(t, n.use("b"))
	require.True(t, n.use("a"))
	require.False(t, n.use("d"))
	require.Len(t, n.seen, 3)
	require.Len(t, n.ring, 3)
}

func TestABodyIsBounded(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	answer := w.call(http.MethodPost, "/2/tweets", `{"text":"`+strings.Repeat("x", maxBody)+`"}`)
	require.Equal(t, http.StatusRequestEntityTooLarge, answer.status)
}
