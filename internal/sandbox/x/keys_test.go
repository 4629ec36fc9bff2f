package x

import (
	"bytes"
	"html"
	"log/slog"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

var code = regexp.MustCompile(`<code>([^<]+)</code>`)

// press presses a button of the page of keys.
func (w *world) press(action, account string, headers ...string) reply {
	w.t.Helper()
	return w.decide(keysPath, url.Values{"action": {action}, "account": {account}}, headers...)
}

// shownKeys gives the tokens and secrets that the page shows.
func (w *world) shownKeys() []string {
	w.t.Helper()
	var found []string
	for _, match := range code.FindAllStringSubmatch(w.get(keysPath).body, -1) {
		found = append(found, html.UnescapeString(match[1]))
	}
	return found
}

func TestThePageOfKeys(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	page := w.get(keysPath)
	require.Equal(t, http.StatusOK, page.status)
	for _, part := range []string{
		`<html lang="en">`, "Keys and tokens</h1>", "<strong>Test app</strong>", "@customerzero", "@ada", "worth nothing outside",
		"Test app was started with a token of its own", `action="/sandbox/x/keys"`, "Make an access token",
	} {
		require.Contains(t, page.body, part)
	}
	require.Empty(t, w.shownKeys(), "nobody made any")
	for _, secret := range []string{"consumer-secret", "4242-token", "token-secret"} {
		require.NotContains(t, page.body, secret, "the app's own are not shown")
	}
	require.Equal(t, "no-store", page.header.Get("Cache-Control"))
	require.Contains(t, page.header.Get("Content-Security-Policy"), "form-action 'self'")
	require.Contains(t, w.get("/sandbox/x").body, `href="/sandbox/x/keys"`)
}

func TestTokensThatPeopleMakeAndRevoke(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for id, username := range map[string]string{"4242": "customerzero", "7": "ada"} {
		made := w.press("make", id)
		require.Equal(t, http.StatusSeeOther, made.status, made.body)
		require.Equal(t, "/sandbox/x/keys#account-"+id, made.header.Get("Location"))
		pair := w.shownKeys()
		require.Len(t, pair, 2)
		w.client = w.signedBy(pair[0], pair[1])
		require.Equal(t, username, w.call(http.MethodGet, "/2/users/me", "").at(t, "data.username"))

		w.press("make", id)
		require.Equal(t, pair, w.shownKeys(), "an account has one at a time, as on X")

		require.Equal(t, http.StatusSeeOther, w.press("revoke", id).status)
		require.Empty(t, w.shownKeys())
		require.Equal(t, http.StatusUnauthorized, w.call(http.MethodGet, "/2/users/me", "").status)
		w.press("revoke", id) // once more is harmless

		w.press("make", id)
		require.NotEqual(t, pair, w.shownKeys())
		require.Equal(t, http.StatusUnauthorized, w.call(http.MethodGet, "/2/users/me", "").status, "it stays revoked")
		w.press("revoke", id)
	}
	w.client = w.signedBy("4242-token", "token-secret")
	require.Equal(t, http.StatusOK, w.call(http.MethodGet, "/2/users/me", "").status, "the app's own token is left alone")
}

func TestThePageOfKeysShowsWhatASignInGave(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.NoError(t, w.loginCalls(w.signIn(callback))[OnAccessToken]())
	given, found := w.sandbox.state.grantOf("7")
	require.True(t, found)
	require.Equal(t, []string{given.token, given.secret}, w.shownKeys())
}

func TestTheAppsOwnTokenIsMentionedWhileItWorks(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	require.Contains(t, w.get(keysPath).body, "a token of its own")
	w.call(http.MethodPost, "/1.1/oauth/invalidate_token", "")
	require.NotContains(t, w.get(keysPath).body, "a token of its own")
	bare := newWorld(t, func(c *Config) { c.AccessToken, c.AccessSecret = "", "" })
	require.NotContains(t, bare.get(keysPath).body, "a token of its own")
}

func TestWhoMayChangeKeys(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		action, account string
		headers         []string
		status          int
	}{
		"another site makes one":   {"make", "7", []string{"Origin", "http://evil.example"}, 403},
		"another site revokes":     {"revoke", "7", []string{"Sec-Fetch-Site", "cross-site"}, 403},
		"an opaque origin revokes": {"revoke", "7", []string{"Origin", "null"}, 403},
		"of an unknown account":    {"make", "8", nil, 404},
		"of no account":            {"revoke", "", nil, 404},
		"in an unknown way":        {"rotate", "7", nil, 400},
		"in no way":                {"", "7", nil, 400},
		"our own page, by a proxy": {"revoke", "7", []string{"Origin", "https://app.example", "X-Forwarded-Host", "app.example"}, 303},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			w.press("make", "4242")
			before := w.shownKeys()
			answer := w.press(tt.action, tt.account, tt.headers...)
			require.Equal(t, tt.status, answer.status, answer.body)
			require.Equal(t, before, w.shownKeys())
		})
	}
}

func TestProgramsRevokeWithDelete(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.press("make", "7")
	remove := func(id string, headers ...string) int {
		r := w.request(http.MethodDelete, keysPath+"/"+id, "")
		for i := 0; i < len(headers); i += 2 {
			r.Header.Set(headers[i], headers[i+1])
		}
		response, err := testwait.Client.Do(r)
		require.NoError(t, err)
		return read(t, response).status
	}
	require.Equal(t, http.StatusNotFound, remove("8"))
	require.Equal(t, http.StatusForbidden, remove("7", "Origin", "http://evil.example"))
	require.Len(t, w.shownKeys(), 2)
	require.Equal(t, http.StatusNoContent, remove("7"))
	require.Empty(t, w.shownKeys())
	require.Equal(t, http.StatusNoContent, remove("7"), "again")
}

func TestKeysAreChangedABoundedNumberOfTimes(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for range keysLimit {
		require.Equal(t, http.StatusSeeOther, w.press("make", "7").status)
	}
	require.Equal(t, http.StatusTooManyRequests, w.press("revoke", "7").status)
	require.Len(t, w.shownKeys(), 2)
	w.clock.advance(shortWindow)
	require.Equal(t, http.StatusSeeOther, w.press("revoke", "7").status)
}

// Proves: F37, V16.2.5
func TestNoSecretIsLogged(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	file := filepath.Join(t.TempDir(), "x.jsonl")
	w := newWorld(t, onFile(file), func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	})
	w.press("make", "7")
	pair := w.shownKeys()
	require.Len(t, pair, 2)

	w.spoilTheFile()
	for _, failed := range []reply{w.press("revoke", "7"), w.press("make", "4242")} {
		require.Equal(t, http.StatusServiceUnavailable, failed.status)
		require.NotContains(t, failed.body, pair[1])
	}
	require.Equal(t, pair, w.shownKeys(), "what is not in the file did not happen")
	require.Contains(t, log.String(), "cannot be written")
	for _, secret := range append(pair, "consumer-secret", "token-secret") {
		require.NotContains(t, log.String(), secret)
	}
}

func TestTheJournalRemembersWhatPeopleMade(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "x.jsonl")
	w := newWorld(t, onFile(file))
	w.press("make", "7")
	w.press("make", "4242")
	w.press("revoke", "7")
	require.Equal(t, w.shownKeys(), newWorld(t, onFile(file)).shownKeys())
}
