// Package deploy_test runs the proxy as it is deployed, on loopback and with certificates of its
// own. What holds for all of what is deployed is tested in tools/deploy.
package deploy_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/ports/portstest"
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
		require.Equal(t, "https://localhost/pricing?a=b", resp.Header.Get("Location"), "where TLS usually is, and not where the chaos target is")
	})

	t.Run("shows the chaos target, and nothing else, where the chaos target is", func(t *testing.T) {
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

// edge is a running proxy.
type edge struct {
	site, cell, plain string // addresses: host:port
	client            *http.Client
}

// startEdge runs the proxy in front of one API server and one chaos target.
func startEdge(t *testing.T, api, cell http.Handler) *edge {
	t.Helper()
	dir, said := t.TempDir(), &bytes.Buffer{}
	e := &edge{site: localhost(t), cell: localhost(t), plain: localhost(t)}
	run := exec.Command("../bin/caddy", "run", "--config", e.adapt(t, dir, serving(t, api), serving(t, cell)))
	run.Env = []string{"HOME=" + dir, "XDG_DATA_HOME=" + dir, "XDG_CONFIG_HOME=" + dir}
	run.Stdout, run.Stderr = said, said
	require.NoError(t, run.Start())
	t.Cleanup(func() {
		_ = run.Process.Kill()
		_ = run.Wait()
		if t.Failed() {
			t.Log(said)
		}
	})
	require.Eventually(t, func() bool { return e.trust(dir) && e.answers(t) }, testwait.Limit, 50*time.Millisecond)
	return e
}

// adapt reads the Caddyfile as the proxy does, and puts it at ports that anybody may use.
func (e *edge) adapt(t *testing.T, dir, api, cell string) (config string) {
	t.Helper()
	require.FileExists(t, "../bin/caddy", "run make bin/caddy")
	adapt := exec.Command("../bin/caddy", "adapt", "--adapter", "caddyfile", "--config", "Caddyfile")
	adapt.Env = []string{
		"HOME=" + dir, "SITE=" + e.site, "CHAOS_TARGET_SITE=" + e.cell, "APIS=" + api, "CHAOS_TARGETS=" + cell, "BIND=127.0.0.1", "CHAOS_TARGET_BIND=127.0.0.1",
	}
	text, err := adapt.Output()
	require.NoError(t, err)
	var all map[string]any
	require.NoError(t, json.Unmarshal(text, &all))
	server := all["apps"].(map[string]any)["http"].(map[string]any)
	server["http_port"], server["https_port"] = portOf(t, e.plain), portOf(t, e.site)
	text, err = json.Marshal(all)
	require.NoError(t, err)
	config = filepath.Join(dir, "config.json")
	require.NoError(t, os.WriteFile(config, text, 0o600))
	return config
}

// trust believes what the proxy has signed, and nobody else.
func (e *edge) trust(dir string) bool {
	root, err := os.ReadFile(filepath.Join(dir, "caddy/pki/authorities/local/root.crt"))
	authorities := x509.NewCertPool()
	if err != nil || !authorities.AppendCertsFromPEM(root) {
		return false
	}
	e.client = &http.Client{
		Transport:     &http.Transport{TLSClientConfig: &tls.Config{RootCAs: authorities}, DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       testwait.Limit,
	}
	return true
}

// answers says whether the proxy has found all that it sends requests to.
func (e *edge) answers(t *testing.T) bool {
	for _, url := range []string{"https://" + e.site, "https://" + e.cell} {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, http.NoBody)
		require.NoError(t, err)
		resp, err := e.client.Do(req)
		if err != nil {
			return false
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			return false
		}
	}
	return true
}

func (e *edge) do(t *testing.T, req *http.Request) *http.Response {
	t.Helper()
	resp, err := e.client.Do(req)
	require.NoError(t, err)
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

// refuses asks, as browsers do, by HTTP/2: an answer to a body that is not read to its end arrives
// all the same, which a connection of HTTP/1 that is hung up does not promise.
func (e *edge) refuses(t *testing.T, req *http.Request) *http.Response {
	t.Helper()
	usual := e.client.Transport.(*http.Transport).Clone()
	usual.ForceAttemptHTTP2 = true
	t.Cleanup(usual.CloseIdleConnections)
	client := *e.client
	client.Transport = usual
	resp, err := client.Do(req)
	require.NoError(t, err)
	require.Equal(t, 2, resp.ProtoMajor)
	t.Cleanup(func() { _ = resp.Body.Close() })
	return resp
}

func request(t *testing.T, method, url, body string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	require.NoError(t, err)
	return req
}

func serving(t *testing.T, handler http.Handler) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// localhost is an address under the name that the proxy signs.
func localhost(t *testing.T) string {
	return strings.Replace(portstest.Address(t), "127.0.0.1", "localhost", 1)
}

func portOf(t *testing.T, address string) int {
	t.Helper()
	port, err := net.LookupPort("tcp", address[strings.LastIndex(address, ":")+1:])
	require.NoError(t, err)
	return port
}
