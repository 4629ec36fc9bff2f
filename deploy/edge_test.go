// Package deploy_test runs the reverse proxy as it is deployed, on loopback and with its own certificates. tools/deploy
// tests the rest of the deployment.
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

const transportSecurity = "max-age=63072000" // as the product sends it

// repeater echoes the body and the forwarded headers, and counts requests.
func repeater(requests *atomic.Int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/readyz" && r.URL.Path != "/healthz" {
			requests.Add(1)
		}
		body, err := io.ReadAll(r.Body)
		if err != nil { // an aborted request
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
	var api, target atomic.Int64
	e := startEdge(t, repeater(&api), repeater(&target))

	t.Run("terminates TLS and forwards requests and responses", func(t *testing.T) {
		t.Parallel()
		req := request(t, http.MethodPost, "https://"+e.site+"/webhooks/stripe", "an event")
		req.Header.Set("X-Forwarded-For", "203.0.113.9")
		req.Header.Set("X-Forwarded-Proto", "http")
		resp := e.do(t, req)
		require.Equal(t, http.StatusOK, resp.StatusCode)
		require.GreaterOrEqual(t, resp.TLS.Version, uint16(tls.VersionTLS12))
		require.Equal(t, []string{transportSecurity}, resp.Header.Values("Strict-Transport-Security"))
		require.Equal(t, "127.0.0.1", resp.Header.Get("X-Seen-For"), "clients cannot set it")
		require.Equal(t, "https", resp.Header.Get("X-Seen-Proto"))
		require.Equal(t, e.site, resp.Header.Get("X-Seen-Host"))
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.Equal(t, "an event", string(body))
	})

	t.Run("redirects HTTP to HTTPS", func(t *testing.T) {
		t.Parallel()
		resp := e.do(t, request(t, http.MethodGet, "http://"+e.plain+"/pricing?a=b", ""))
		require.Equal(t, http.StatusPermanentRedirect, resp.StatusCode)
		require.Equal(t, "https://localhost/pricing?a=b", resp.Header.Get("Location"), "the default port of HTTPS, not that of the chaos target")
	})

	t.Run("serves only the chaos target at its address", func(t *testing.T) {
		t.Parallel()
		before := target.Load()
		require.Equal(t, http.StatusOK, e.do(t, request(t, http.MethodGet, "https://"+e.target+"/api/posts", "")).StatusCode)
		require.Greater(t, target.Load(), before)
	})
}

// Proves: S-size
func TestTheEdgeKeepsFromTheProductWhatIsNotForIt(t *testing.T) {
	t.Parallel()
	var requests, target atomic.Int64
	e := startEdge(t, repeater(&requests), repeater(&target))
	before := requests.Load()
	require.Equal(t, http.StatusNotFound, e.do(t, request(t, http.MethodGet, "https://"+e.site+"/metrics", "")).StatusCode)
	require.Equal(t, http.StatusNotFound, e.do(t, request(t, http.MethodGet, "https://"+e.site+"//metrics", "")).StatusCode)
	require.Equal(t, before, requests.Load())

	much := e.refuses(t, request(t, http.MethodPost, "https://"+e.site+"/api/posts/import", strings.Repeat("x", 1<<20+1)))
	require.Equal(t, http.StatusRequestEntityTooLarge, much.StatusCode)
	little := e.do(t, request(t, http.MethodPost, "https://"+e.site+"/api/posts/import", strings.Repeat("x", 1<<20)))
	require.Equal(t, http.StatusOK, little.StatusCode)

	long := request(t, http.MethodGet, "https://"+e.site+"/", "")
	long.Header.Set("X-Long", strings.Repeat("x", 24<<10))
	require.Equal(t, http.StatusOK, e.do(t, long).StatusCode)
	long.Header.Set("X-Long", strings.Repeat("x", 64<<10))
	before = requests.Load()
	require.Equal(t, http.StatusRequestHeaderFieldsTooLarge, e.do(t, long).StatusCode)
	require.Equal(t, before, requests.Load())
}

// Proves: S-size
func TestTheEdgeWaitsForNobodysHeaders(t *testing.T) {
	t.Parallel()
	var requests, target atomic.Int64
	e := startEdge(t, repeater(&requests), repeater(&target))
	before := requests.Load()
	secure, err := (&tls.Dialer{Config: e.client.Transport.(*http.Transport).TLSClientConfig}).DialContext(t.Context(), "tcp", e.site)
	require.NoError(t, err)
	defer func() { _ = secure.Close() }()
	require.NoError(t, secure.SetDeadline(time.Now().Add(testwait.Limit)))
	_, err = secure.Write([]byte("GET / HTTP/1.1\r\nHost: " + e.site + "\r\nX-Slow: "))
	require.NoError(t, err)
	_, err = io.ReadAll(secure)
	require.NoError(t, err, "the proxy closes the connection")
	require.Equal(t, before, requests.Load())
}

// The proxy's own error responses have the same security headers as the product's.
// Proves: V3.4.3, V3.4.4
func TestV3_4_3_WhatTheEdgeSaysItselfIsHardened(t *testing.T) {
	t.Parallel()
	var requests, target atomic.Int64
	usual := repeater(&requests)
	e := startEdge(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/webhooks/stripe" {
			panic(http.ErrAbortHandler) // aborts the response
		}
		usual.ServeHTTP(w, r)
	}), repeater(&target))
	for name, tt := range map[string]struct {
		method, path, body string
		status             int
	}{
		"the metrics":              {http.MethodGet, "/metrics", "", http.StatusNotFound},
		"a body that is too large": {http.MethodPost, "/api/posts/import", strings.Repeat("x", 1<<20+1), http.StatusRequestEntityTooLarge},
		"an aborted response":      {http.MethodPost, "/webhooks/stripe", "an event", http.StatusBadGateway},
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
	require.Empty(t, own.Header.Values("Content-Security-Policy"), "the product's headers are not changed")
}

func TestTheConsoleHasLoopbackNamesOnly(t *testing.T) {
	t.Parallel()
	require.FileExists(t, "../bin/caddy", "run make bin/caddy")
	var requests atomic.Int64
	address, dir, output := portstest.Address(t), t.TempDir(), &bytes.Buffer{}
	run := exec.Command("../bin/caddy", "run", "--adapter", "caddyfile", "--config", "Caddyfile.console")
	run.Env = []string{
		"HOME=" + dir, "XDG_DATA_HOME=" + dir, "XDG_CONFIG_HOME=" + dir, "CONSOLE_BIND=127.0.0.1",
		"CONSOLE_PORT=" + address[strings.LastIndex(address, ":")+1:], "CONSOLE=" + serving(t, repeater(&requests)),
	}
	run.Stdout, run.Stderr = output, output
	require.NoError(t, run.Start())
	t.Cleanup(func() { _, _ = run.Process.Kill(), run.Wait() })
	status := func(host string) int {
		req := request(t, http.MethodGet, "http://"+address+"/namespaces", "")
		req.Host = host
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0
		}
		defer func() { _ = resp.Body.Close() }()
		return resp.StatusCode
	}
	require.Eventually(t, func() bool { return status("127.0.0.1:8233") == http.StatusOK }, testwait.Limit, 50*time.Millisecond, "%s", output)
	require.Equal(t, http.StatusOK, status("localhost:8233"))
	before := requests.Load()
	for _, host := range []string{"attacker.example", "attacker.example:8233", "192.0.2.1", "localhost.attacker.example"} {
		require.Equal(t, http.StatusMisdirectedRequest, status(host), host)
	}
	require.Equal(t, before, requests.Load())
}

// edge is a running reverse proxy.
type edge struct {
	site, target, plain string // addresses: host:port
	client              *http.Client
}

// startEdge runs the proxy in front of one API server and one chaos target.
func startEdge(t *testing.T, api, target http.Handler) *edge {
	t.Helper()
	dir, output := t.TempDir(), &bytes.Buffer{}
	e := &edge{site: localhost(t), target: localhost(t), plain: localhost(t)}
	run := exec.Command("../bin/caddy", "run", "--config", e.adapt(t, dir, serving(t, api), serving(t, target)))
	run.Env = []string{"HOME=" + dir, "XDG_DATA_HOME=" + dir, "XDG_CONFIG_HOME=" + dir}
	run.Stdout, run.Stderr = output, output
	require.NoError(t, run.Start())
	t.Cleanup(func() {
		_ = run.Process.Kill()
		_ = run.Wait()
		if t.Failed() {
			t.Log(output)
		}
	})
	require.Eventually(t, func() bool { return e.trust(dir) && e.ready(t) }, testwait.Limit, 50*time.Millisecond)
	return e
}

// adapt converts the Caddyfile to JSON with unprivileged ports.
func (e *edge) adapt(t *testing.T, dir, api, target string) (config string) {
	t.Helper()
	require.FileExists(t, "../bin/caddy", "run make bin/caddy")
	adapt := exec.Command("../bin/caddy", "adapt", "--adapter", "caddyfile", "--config", "Caddyfile")
	adapt.Env = []string{
		"HOME=" + dir, "SITE=" + e.site, "CHAOS_TARGET_SITE=" + e.target, "APIS=" + api, "CHAOS_TARGETS=" + target, "BIND=127.0.0.1", "CHAOS_TARGET_BIND=127.0.0.1",
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

// trust makes a client that trusts the proxy's certificate authority only.
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

// ready reports whether the proxy reaches both upstreams.
func (e *edge) ready(t *testing.T) bool {
	for _, url := range []string{"https://" + e.site, "https://" + e.target} {
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

// refuses sends a request with HTTP/2, as browsers do: the response arrives even if the body is not read to its end,
// which HTTP/1 does not guarantee.
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

// localhost returns a free address with the name in the proxy's certificate.
func localhost(t *testing.T) string {
	return strings.Replace(portstest.Address(t), "127.0.0.1", "localhost", 1)
}

func portOf(t *testing.T, address string) int {
	t.Helper()
	port, err := net.LookupPort("tcp", address[strings.LastIndex(address, ":")+1:])
	require.NoError(t, err)
	return port
}
