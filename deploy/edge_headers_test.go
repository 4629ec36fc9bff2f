package deploy_test

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
)

// What is refused before the product sees it, or when it is away, is hardened as its own
// answers are.
// Proves: V3.4.3, V3.4.4
func TestV3_4_3_WhatTheEdgeSaysItselfIsHardened(t *testing.T) {
	t.Parallel()
	var asked, cell atomic.Int64
	usual := repeater(&asked)
	e := startEdge(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/webhooks/stripe" {
			panic(http.ErrAbortHandler) // it dies in the middle
		}
		usual.ServeHTTP(w, r)
	}), repeater(&cell))
	for name, tt := range map[string]struct {
		method, path, body string
		status             int
	}{
		"what is for operators":   {http.MethodGet, "/metrics", "", http.StatusNotFound},
		"a body that is too much": {http.MethodPost, "/api/posts/import", strings.Repeat("x", 1<<20+1), http.StatusRequestEntityTooLarge},
		"a product that hangs up": {http.MethodPost, "/webhooks/stripe", "an event", http.StatusBadGateway},
	} {
		resp := e.refuses(t, request(t, tt.method, "https://"+e.site+tt.path, tt.body))
		require.Equal(t, tt.status, resp.StatusCode, name)
		header := resp.Header
		require.Equal(t, []string{"default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"}, header.Values("Content-Security-Policy"), name)
		require.Equal(t, []string{"nosniff"}, header.Values("X-Content-Type-Options"), name)
		require.Equal(t, []string{"no-store"}, header.Values("Cache-Control"), name)
	}
	own := e.do(t, request(t, http.MethodGet, "https://"+e.site+"/", ""))
	require.Equal(t, http.StatusOK, own.StatusCode)
	require.Empty(t, own.Header.Values("Content-Security-Policy"), "what the product says is left as it is")
}
