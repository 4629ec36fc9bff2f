// Package deploy_test runs the proxy as it is deployed, on loopback and with certificates of its
// own. What holds for all of what is deployed is tested in tools/deploy.
package deploy_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/ports/portstest"
	"customerzero/internal/platform/testwait"
)

// edge is a running proxy.
type edge struct {
	site, cell, plain string // addresses: host:port
	client            *http.Client
}

// startEdge runs the proxy in front of one API server and one cell.
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
