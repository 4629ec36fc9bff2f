package api_test

import (
	"bufio"
	"io"
	"log"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"customerzero/api"
)

// serve puts the world behind a real server, as the product is.
func (w *world) serve(t *testing.T) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	server := api.HTTPServer(w.handler, log.Default())
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	t.Cleanup(func() {
		require.NoError(t, server.Close())
		require.ErrorIs(t, <-ended, http.ErrServerClosed)
	})
	return listener.Addr().String()
}

// Proves: F29, S-size
func TestCookiesTooLargeAreRefusedAndTheServerGoesOn(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ada, _ := w.join(t, "ada")
	token := w.login(t, ada, "")
	address := w.serve(t)
	before := w.rows(t)
	const read = http.StatusUnprocessableEntity // of a body that says nothing
	for name, tt := range map[string]struct {
		cookies string
		status  int
	}{
		"an ordinary one passes":        {"session=" + token, read},
		"20 kB of others pass":          {"session=" + token + "; other=" + strings.Repeat("a", 20<<10), read},
		"40 kB are too many":            {"session=" + token + "; other=" + strings.Repeat("a", 40<<10), http.StatusRequestHeaderFieldsTooLarge},
		"40 kB in a thousand are, too":  {"session=" + token + strings.Repeat("; c="+strings.Repeat("a", 36), 1000), http.StatusRequestHeaderFieldsTooLarge},
		"1 MB is":                       {"session=" + token + "; other=" + strings.Repeat("a", 1<<20), http.StatusRequestHeaderFieldsTooLarge},
		"a session of 1 MB is no other": {"session=" + strings.Repeat("a", 1<<20), http.StatusRequestHeaderFieldsTooLarge},
	} {
		resp := exchange(t, address, "POST /api/account/email HTTP/1.1\r\nHost: example.com\r\nCookie: "+tt.cookies+
			"\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}")
		require.Equal(t, tt.status, resp.StatusCode, name)
		require.Equal(t, before, w.rows(t), name)
		require.Equal(t, http.StatusOK, exchange(t, address, "GET /healthz HTTP/1.1\r\nHost: example.com\r\n\r\n").StatusCode, name)
	}
	require.True(t, w.whoHas(t, token).IsAuthenticated)
}

// exchange says something to a server, word for word, and reads the answer meanwhile: one
// that has heard enough hangs up.
func exchange(t *testing.T, address, request string) *http.Response {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	require.NoError(t, err)
	defer func() { _ = conn.Close() }()
	go func() { _, _ = io.WriteString(conn, request) }()
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp
}
