package pages

import (
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// TestOwnOnly allows programs and the sandboxes' own pages, also behind a reverse proxy.
// Proves: V3.4.2, V3.5.1
func TestOwnOnly(t *testing.T) {
	t.Parallel()
	handler := OwnOnly(func(http.ResponseWriter, *http.Request) {})
	for _, tt := range []struct {
		headers http.Header
		status  int
	}{
		{http.Header{}, http.StatusOK},
		{http.Header{"Origin": {"http://evil.example"}}, http.StatusForbidden},
		{http.Header{"Origin": {"null"}}, http.StatusForbidden},
		{http.Header{"Origin": {"http://example.com:1"}}, http.StatusForbidden},
		{http.Header{"Sec-Fetch-Site": {"cross-site"}}, http.StatusForbidden},
		{http.Header{"Sec-Fetch-Site": {"same-site"}}, http.StatusForbidden},
		{http.Header{"Sec-Fetch-Site": {"same-origin"}}, http.StatusOK},
		{http.Header{"Origin": {"http://example.com"}}, http.StatusOK},
		{http.Header{"Origin": {"https://app.example"}, "X-Forwarded-Host": {"app.example"}}, http.StatusOK},
	} {
		answer, request := httptest.NewRecorder(), httptest.NewRequest(http.MethodPost, "http://example.com/", http.NoBody)
		request.Header = tt.headers
		handler(answer, request)
		require.Equal(t, tt.status, answer.Code, tt.headers)
		require.Empty(t, answer.Header().Get("Access-Control-Allow-Origin"))
	}
}

func TestPagesLoadNothingFromElsewhere(t *testing.T) {
	t.Parallel()
	site := New("/sandbox/a", fstest.MapFS{
		"pages/a.html": {Data: []byte(`{{template "head" .}}<p>{{.}}`)}, "pages/style.css": {}, "pages/icon.svg": {},
	})
	mux := http.NewServeMux()
	site.Route(mux)
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		site.Render(w, slog.Default(), http.StatusTeapot, "a.html", Policy{Forms: "'self' "}, "<b>")
	})
	get := func(path string) *httptest.ResponseRecorder {
		answer := httptest.NewRecorder()
		mux.ServeHTTP(answer, httptest.NewRequest(http.MethodGet, path, http.NoBody))
		return answer
	}
	page := get("/")
	require.Equal(t, http.StatusTeapot, page.Code)
	require.Contains(t, page.Body.String(), "<p>&lt;b&gt;")
	require.Contains(t, page.Body.String(), `<html lang="en">`)
	require.Equal(t, "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; frame-ancestors 'self'; form-action 'self'",
		page.Header().Get("Content-Security-Policy"))
	require.Equal(t, "nosniff", page.Header().Get("X-Content-Type-Options"))
	require.Equal(t, "no-store", page.Header().Get("Cache-Control"))
	for asset, kind := range map[string]string{"base.css": "text/css", "style.css": "text/css", "icon.svg": "image/svg+xml"} {
		require.Contains(t, page.Body.String(), `href="/sandbox/a/`+asset+`"`)
		require.Contains(t, get("/sandbox/a/"+asset).Header().Get("Content-Type"), kind)
	}
	require.Equal(t, "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self'; base-uri 'none'; frame-ancestors 'self'; "+
		"form-action 'none'", Policy{Styles: "'unsafe-inline'"}.header())
}
