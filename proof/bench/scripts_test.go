package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestScriptsAreWeighedAsTheyAreSent(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			_, _ = w.Write([]byte(`<script type="module" src="/a.js"></script><link rel="modulepreload" href="/b.js">
				<link rel="modulepreload" href="/a.js"><link rel="stylesheet" href="/c.css">`))
		case "/a.js", "/b.js":
			size := 100
			if r.Header.Get("Accept-Encoding") == "gzip" {
				size = 10
			}
			_, _ = w.Write([]byte(strings.Repeat("x", size)))
		default:
			http.NotFound(w, r)
		}
	}))
	t.Cleanup(server.Close)
	total, err := weigh(t.Context(), server.URL, "/")
	require.NoError(t, err)
	require.Equal(t, 20, total, "each script once, packed, and no style")
	_, err = weigh(t.Context(), server.URL, "/a.js")
	require.ErrorContains(t, err, "names no script")
	_, err = weigh(t.Context(), server.URL, "/missing")
	require.ErrorContains(t, err, "404")
}
