package x_test

import (
	"encoding/json"
	"fmt"
	"html"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/x"
	"customerzero/internal/domain/account"
	"customerzero/internal/platform/testseed"
)

// planted are secrets that X repeats. The client has all but the last.
type planted struct{ key, secret, token, tokenSecret, verifier, access, unknown string }

func plant(chance *rand.Rand) planted {
	const (
		plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
		any   = plain + "-_.~%&+/=\"'<> "
	)
	draw := func(from string) string {
		var s strings.Builder
		for range 12 + chance.IntN(40) {
			s.WriteByte(from[chance.IntN(len(from))])
		}
		return "p" + s.String() + "q"
	}
	return planted{draw(any), draw(any), draw(any), draw(any), draw(any), draw(any), draw(plain)}
}

// answer returns a random response that contains secrets.
func (p planted) answer(chance *rand.Rand) string {
	known := []string{p.key, p.secret, p.token, p.tokenSecret, p.verifier, p.access}
	value := known[chance.IntN(len(known))]
	escape := []func(string) string{
		func(s string) string { return s }, url.QueryEscape, url.PathEscape, html.EscapeString, inJSON,
	}
	value = escape[chance.IntN(len(escape))](value)
	around := []string{
		`bad token %s here`, `{"errors":[{"code":89,"message":"%s is invalid."}]}`, `<html><body>%s</body></html>`, `%s`,
		`{"title":"%[1]s","reason":"%[1]s","type":"https://api.x.com/2/problems/%[1]s","detail":"%[1]s"}`,
		`<errors><error code="89">%s</error></errors>`, `%[1]s%[1]s`, `a=1&b=%s&c=2`,
	}
	named := []string{
		`%s=%s&a=b`, `a=b&%s=%s`, `{"%s":"%s"}`, `{"%s": ["%s"]}`, `{"detail":"{\"%s\": \"%s\"}"}`, `%s: %s`, `<%s>%s</x>`,
		`Authorization: OAuth %s="%s", oauth_version="1.0"`, `<p>{&quot;%s&quot;:&quot;%s&quot;}</p>`, `a%%26%s%%3D%s%%26b`,
		`{"errors":[{"code":32,"message":"%s=%s"}]}`, `{"title":"%s=%s"}`,
	}
	names := []string{
		"oauth_token", "oauth_token_secret", "oauth_verifier", "oauth_consumer_key", "oauth_signature", "access_token",
		"accessToken", "client_secret", "X-Api-Key", "API_SECRET_V2",
	}
	return fmt.Sprintf(around[chance.IntN(len(around))], value) + "\n" +
		fmt.Sprintf(named[chance.IntN(len(named))], names[chance.IntN(len(names))], p.unknown)
}

func inJSON(s string) string {
	encoded, _ := json.Marshal(s)
	return string(encoded[1 : len(encoded)-1])
}

// TestPlantedSecretsNeverSurvive checks that no secret in X's responses reaches an error or an answer, in any
// encoding.
// Proves: F37 seeded
// Proves: S-write-only
func TestPlantedSecretsNeverSurvive(t *testing.T) {
	t.Parallel()
	statuses := []int{200, 400, 401, 403, 503}
	seed := testseed.Seed(t)
	for n := range 400 {
		draw := testseed.Of(t, seed, n)
		p := plant(draw)
		body, status := p.answer(draw), statuses[draw.IntN(len(statuses))]
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("x-access-level", p.access)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
		app := newApp(server.URL, func(c *x.AppConfig) { c.ConsumerKey, c.ConsumerSecret = p.key, p.secret })
		token := account.RequestToken{Token: p.token, Secret: p.tokenSecret}
		_, errRequest := app.RequestToken(t.Context(), backURL)
		_, errAccess := app.Identify(t.Context(), token, p.verifier)
		account := app.ProbeAccount(t.Context(), p.access, p.tokenSecret)
		server.Close()

		require.Error(t, errRequest)
		require.Error(t, errAccess)
		requireNone(t, fmt.Sprintf("%+v", account), body, p.key, p.secret, p.access, p.tokenSecret, p.unknown)
		requireNone(t, errRequest.Error(), body, p.key, p.secret, p.unknown)
		requireNone(t, errAccess.Error(), body, p.key, p.secret, p.token, p.tokenSecret, p.verifier, p.unknown)
	}
}

// requireNone checks that a text contains no secret in any encoding.
func requireNone(t *testing.T, text, body string, secrets ...string) {
	t.Helper()
	for _, secret := range secrets {
		for _, form := range []string{secret, url.QueryEscape(secret), url.PathEscape(secret), html.EscapeString(secret), inJSON(secret)} {
			require.NotContains(t, text, form, "X returned %s", body)
		}
	}
}

func TestRedactionLeavesWhatIsNoSecret(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		`{"errors":[{"code":89,"message":"Invalid or expired token."}]}`,
		`{"errors":[{"code":32,"message":"Could not authenticate you."}]}`,
		`{"title":"Unauthorized","type":"about:blank","status":401,"detail":"Unauthorized"}`,
		`{"client_id":"12","reason":"client-not-enrolled","registration_url":"https://developer.twitter.com/en/docs"}`,
		`oauth_callback_confirmed=true`,
	} {
		url, _ := answering(t, 401, nil, body)
		require.Equal(t, body, newApp(url).ProbeRequestToken(t.Context(), backURL).Body)
	}
}

// Proves: S-write-only
func TestRedactionOfOverlappingSecrets(t *testing.T) {
	t.Parallel()
	url, _ := answering(t, 401, nil, "abcdefgh abcd Bearer AAAA%2F Basic Zm9v")
	app := newApp(url, func(c *x.AppConfig) { c.ConsumerKey, c.ConsumerSecret = "abcd\n", "abcdefgh" })
	require.Equal(t, "… … Bearer … Basic …", app.ProbeRequestToken(t.Context(), backURL).Body)
}
