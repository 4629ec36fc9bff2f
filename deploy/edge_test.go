package deploy_test

import (
	"crypto/tls"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

const transportSecurity = "max-age=63072000" // as the product says it

// repeater says what it was asked, and what it was told of who asks.
func repeater(asked *atomic.Int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" && r.URL.Path != "/healthz" {
			asked.Add(1)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil { // it was cut off
			return
		}
		w.Header().Set("Strict-Transport-Security", transportSecurity)
		w.Header().Set("X-Seen-For", r.Header.Get("X-Forwarded-For"))
		w.Header().Set("X-Seen-Proto", r.Header.Get("X-Forwarded-Proto"))
		w.Header().Set("X-Seen-Host", r.Host)
		_, _ = w.Write(body)
	})
}

// Proves: V3.4.1, V3.7.2
func TestTheEdge(t *testing.T) {
	t.Parallel()
	var api, cell atomic.Int64
	e := startEdge(t, repeater(&api), repeater(&cell))

	t.Run("speaks TLS of its own, and passes on what the product answers", func(t *testing.T) {
		t.Parallel()
		req := request(t, http.MethodPost, "https://"+e.site+"/webhooks/stripe", "an event")
		req.Header.Set("X-Forwarded-For", "203.0.113.9")
		req.Header.Set("X-Forwarded-Proto", "http")
		resp := e.do(t, req)
		require.Equal(t, http.StatusOK, resp.StatusCode)
		require.GreaterOrEqual(t, resp.TLS.Version, uint16(tls.VersionTLS12))
		require.Equal(t, []string{transportSecurity}, resp.Header.Values("Strict-Transport-Security"))
		require.Equal(t, "127.0.0.1", resp.Header.Get("X-Seen-For"), "nobody chooses whom we take them for")
		require.Equal(t, "https", resp.Header.Get("X-Seen-Proto"))
		require.Equal(t, e.site, resp.Header.Get("X-Seen-Host"))
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.Equal(t, "an event", string(body))
	})

	t.Run("sends who does not encrypt to who does", func(t *testing.T) {
		t.Parallel()
		resp := e.do(t, request(t, http.MethodGet, "http://"+e.plain+"/pricing?a=b", ""))
		require.Equal(t, http.StatusPermanentRedirect, resp.StatusCode)
		require.Equal(t, "https://localhost/pricing?a=b", resp.Header.Get("Location"), "where TLS usually is, and not where the cell is")
	})

	t.Run("shows the cell, and nothing else, where the cell is", func(t *testing.T) {
		t.Parallel()
		before := cell.Load()
		require.Equal(t, http.StatusOK, e.do(t, request(t, http.MethodGet, "https://"+e.cell+"/api/posts", "")).StatusCode)
		require.Greater(t, cell.Load(), before)
	})
}

// Proves: S-size
func TestTheEdgeKeepsFromTheProductWhatIsNotForIt(t *testing.T) {
	t.Parallel()
	var asked, cell atomic.Int64
	e := startEdge(t, repeater(&asked), repeater(&cell))
	before := asked.Load()
	require.Equal(t, http.StatusNotFound, e.do(t, request(t, http.MethodGet, "https://"+e.site+"/metrics", "")).StatusCode)
	require.Equal(t, http.StatusNotFound, e.do(t, request(t, http.MethodGet, "https://"+e.site+"//metrics", "")).StatusCode)
	require.Equal(t, before, asked.Load())

	much := e.refuses(t, request(t, http.MethodPost, "https://"+e.site+"/api/posts/import", strings.Repeat("x", 1<<20+1)))
	require.Equal(t, http.StatusRequestEntityTooLarge, much.StatusCode)
	little := e.do(t, request(t, http.MethodPost, "https://"+e.site+"/api/posts/import", strings.Repeat("x", 1<<20)))
	require.Equal(t, http.StatusOK, little.StatusCode)

	long := request(t, http.MethodGet, "https://"+e.site+"/", "")
	long.Header.Set("X-Long", strings.Repeat("x", 24<<10))
	require.Equal(t, http.StatusOK, e.do(t, long).StatusCode)
	long.Header.Set("X-Long", strings.Repeat("x", 64<<10))
	before = asked.Load()
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, e.do(t, long).StatusCode)
	require.Equal(t, before, asked.Load())
}

// Proves: S-size
func TestTheEdgeWaitsForNobodysHeaders(t *testing.T) {
	t.Parallel()
	var asked, cell atomic.Int64
	e := startEdge(t, repeater(&asked), repeater(&cell))
	before := asked.Load()
	secure, err := (&tls.Dialer{Config: e.client.Transport.(*http.Transport).TLSClientConfig}).DialContext(t.Context(), "tcp", e.site)
	require.NoError(t, err)
	defer func() { _ = secure.Close() }()
	require.NoError(t, secure.SetDeadline(time.Now().Add(testwait.Limit)))
	_, err = secure.Write([]byte("GET / HTTP/1.1\r\nHost: " + e.site + "\r\nX-Slow: "))
	require.NoError(t, err)
	_, err = io.ReadAll(secure)
	require.NoError(t, err, "it hangs up, and we do not")
	require.Equal(t, before, asked.Load())
}
