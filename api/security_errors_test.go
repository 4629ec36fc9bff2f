package api_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/api"
	"customerzero/internal/domain/problem"
)

// Proves: V16.5.4
func TestV16_5_4_APanicIsAnAnswerAndALine(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		breaks func(w *world)
		path   string
	}{
		"of a page's handler": {func(w *world) {
			w.server.Consent = func(string) string { panic("boom, says the consent page") }
		}, "/auth/x/login"},
		"of an operation":              {func(w *world) { w.server.Posts = struct{ api.PostStore }{} }, "/api/bot-posts"},
		"of whoever is asked who asks": {func(w *world) { w.server.Accounts = struct{ api.AccountStore }{} }, "/api/account"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			ada, _ := w.join(t, "ada")
			b := w.browserWith(w.login(t, ada, ""))
			tt.breaks(w)
			rec := b.get(t, tt.path)
			require.Equal(t, http.StatusInternalServerError, rec.Code, rec.Body.String())
			p := problemOf(t, rec)
			require.Equal(t, problem.Internal, p.Code)
			require.Equal(t, "Something went wrong on our side. The request id finds it in our logs.", p.Message)
			for _, ours := range []string{"boom", "nil pointer", "runtime", "goroutine", ".go:"} {
				require.NotContains(t, rec.Body.String(), ours)
			}
			said(t, rec.Header(), "a panic")
			require.Equal(t, "no-store", rec.Header().Get("Cache-Control"))
			requirePanicLogged(t, rec)
			require.Equal(t, http.StatusOK, w.visits(t, "/healthz").Code, "the others are served")
		})
	}
}

func requirePanicLogged(t *testing.T, rec *httptest.ResponseRecorder) {
	t.Helper()
	for line := range strings.Lines(journal.String()) {
		if strings.Contains(line, "request panicked") && strings.Contains(line, rec.Header().Get("X-Request-Id")) {
			require.Contains(t, line, "stack=")
			return
		}
	}
	require.Fail(t, "the panic is in no line of the log")
}
