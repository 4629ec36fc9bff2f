package api_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
)

// otherBodies are taken in a form of their own, and why.
var otherBodies = map[string]string{
	"/unsubscribe":           "mail programs send a form; the link's proof says who may",
	"/webhooks/stripe":       "its bytes are signed",
	"/api/posts/import":      "a file of CSV, which a form cannot send either",
	"/sandbox/x/{path}":      "passed on as it is, to a stand-in that looks itself",
	"/sandbox/stripe/{path}": "passed on as it is, to a stand-in that looks itself",
}

// What a form of another site can send without asking first is no JSON.
// Proves: V3.5.2
func TestV3_5_2_EveryBodyNamesItsKind(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.standIns(t)
	p, ids := w.everybody(t)
	before, walked := w.rows(t), 0
	for route, want := range answers {
		_, path, _ := strings.Cut(route, " ")
		if want.body == "" || otherBodies[path] != "" {
			continue
		}
		walked++
		token := p.member
		if want.member == never || want.member == nothing {
			token = p.founder
		}
		for _, kind := range []string{
			"text/plain", "text/plain; charset=utf-8", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
			"text/html", "text/json", "application/octet-stream", "application/jsonp", "nonsense",
		} {
			c := w.callTo(route, want.body, ids, token, "", "none")
			c.contentType = kind
			rec := w.do(t, c)
			if rec.Code == never { // nobody here may do it
				continue
			}
			require.Equal(t, http.StatusUnsupportedMediaType, rec.Code, "%s as %s: %s", route, kind, rec.Body)
			require.Equal(t, problem.UnsupportedMedia, problemOf(t, rec).Code)
		}
	}
	require.Greater(t, walked, 25)
	require.Empty(t, changed(before, w.rows(t)))
}
