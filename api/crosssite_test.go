package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
)

// A browser sends the cookie with whatever another site's page makes it send, unless
// SameSite keeps it back; the server must not count on that.
// Proves: F32, V3.5.1
func TestPagesOfOtherSitesChangeNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.standIns(t)
	var reached atomic.Int32
	sandbox := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	t.Cleanup(sandbox.Close)
	w.server.Site.XBaseURL, w.server.Site.MailURL = sandbox.URL, sandbox.URL
	w.handler = w.server.Handler()
	p, ids := w.everybody(t)
	before, orders := w.rows(t), w.runs.told()

	walked := 0
	for _, route := range w.server.Routes() {
		if strings.HasPrefix(route, http.MethodGet+" ") {
			continue
		}
		walked++
		for name, header := range map[string]map[string]string{
			"a form of another site":                   {"Sec-Fetch-Site": "cross-site", "Origin": "https://evil.example"},
			"a browser that hides the origin":          {"Sec-Fetch-Site": "cross-site"},
			"a neighbour under the same domain":        {"Sec-Fetch-Site": "same-site", "Origin": "http://evil.localhost"},
			"an old browser":                           {"Origin": "https://evil.example"},
			"an opaque origin":                         {"Origin": "null"},
			"our name at another port":                 {"Origin": "http://localhost:4000"},
			"our name as the beginning of theirs":      {"Origin": "http://localhost.evil.example"},
			"our name as their password":               {"Origin": "http://localhost@evil.example"},
			"something that is no origin":              {"Origin": "::"},
			"the right origin that the browser denies": {"Sec-Fetch-Site": "cross-site", "Origin": "http://localhost"},
		} {
			for who, token := range map[string]string{"a founder": p.founder, "a member": p.member, "nobody": ""} {
				c := w.callTo(route, answers[route].body, ids, token, "", "none")
				for field, value := range header {
					c.header[field] = value
				}
				rec := w.do(t, c)
				require.Equal(t, http.StatusForbidden, rec.Code, "%s, %s, to %s: %s", name, who, route, rec.Body)
				require.Equal(t, problem.Forbidden, problemOf(t, rec).Code)
				require.Empty(t, rec.Header()["Set-Cookie"])
			}
		}
	}
	require.Greater(t, walked, 15)
	require.Equal(t, before, w.rows(t))
	require.Equal(t, orders, w.runs.told())
	require.Zero(t, reached.Load())
}

// Proves: F32, V3.5.1
func TestOurOwnPagesMayWrite(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]map[string]string{
		"a modern browser":     {"Sec-Fetch-Site": "same-origin", "Origin": "http://example.com"},
		"an old browser":       {"Origin": "http://example.com"},
		"the person, directly": {"Sec-Fetch-Site": "none"},
		"a program":            {},
	} {
		w := newWorld(t)
		rec := w.do(t, call{method: http.MethodPost, path: "/api/posts", body: `{"content":"hi"}`, header: header})
		require.Equal(t, http.StatusCreated, rec.Code, "%s: %s", name, rec.Body)
	}
}
