package egress

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/platform/testwait"
)

func TestMain(m *testing.M) {
	dialTimeout = testwait.Limit
	os.Exit(m.Run())
}

// trap is a listener that must not be reached. It counts connections.
type trap struct {
	net.Listener
	visits atomic.Int64
}

func newTrap(t *testing.T, address string) *trap {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	caught := &trap{Listener: listener}
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			caught.visits.Add(1)
			_ = conn.Close()
		}
	}()
	return caught
}

// names is a resolver that returns each host's answers in order, repeating the last, and counts lookups.
type names struct {
	mu      sync.Mutex
	answers map[string][][]string
	count   int
}

func (n *names) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.count++
	turns := n.answers[host]
	if len(turns) == 0 {
		return nil, errors.New("no such name")
	}
	if len(turns) > 1 {
		n.answers[host] = turns[1:]
	}
	var found []netip.Addr
	for _, text := range turns[0] {
		addr, _ := netip.ParseAddr(text) // an invalid address stands for a broken resolver
		found = append(found, addr)
	}
	return found, nil
}

func (n *names) lookups() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.count
}

// dials replaces the dialer of the internet and records the addresses.
type dials struct {
	mu     sync.Mutex
	called []string
}

var errNoInternet = errors.New("no internet in a test")

func (d *dials) DialContext(_ context.Context, _, address string) (net.Conn, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.called = append(d.called, address)
	return nil, errNoInternet
}

func (d *dials) list() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return append([]string(nil), d.called...)
}

// newGuard returns a guard that connects to this machine only.
func newGuard(t *testing.T, o Options) (*Guard, *dials) {
	t.Helper()
	if o.Resolver == nil {
		o.Resolver = &names{}
	}
	guard, err := New(o)
	require.NoError(t, err)
	outside := &dials{}
	guard.dialPublic = outside.DialContext
	return guard, outside
}

func open(t *testing.T, guard *Guard) *Proxy {
	t.Helper()
	proxy, err := guard.Open()
	require.NoError(t, err)
	t.Cleanup(func() { _ = proxy.Close() })
	return proxy
}

// serve starts an http site and a proxy that allows only it.
func serve(t *testing.T, handler http.HandlerFunc) (site *httptest.Server, proxy *Proxy) {
	t.Helper()
	site = httptest.NewServer(handler)
	t.Cleanup(site.Close)
	guard, _ := newGuard(t, Options{Sites: []Site{{Origin: site.URL}}})
	return site, open(t, guard)
}

// tunneled starts a plain site behind https://example.com and returns a proxy that allows only it.
func tunneled(t *testing.T, o Options, handler http.HandlerFunc) *Proxy {
	t.Helper()
	site := httptest.NewServer(handler)
	t.Cleanup(site.Close)
	o.Sites = []Site{{Origin: "https://example.com", Dial: site.Listener.Addr().String()}}
	guard, _ := newGuard(t, o)
	return open(t, guard)
}

// through returns a client that uses the proxy for everything.
func through(t *testing.T, proxy *Proxy) *http.Client {
	t.Helper()
	transport := &http.Transport{Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: proxy.Addr()}), DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
}

func get(t *testing.T, client *http.Client, address string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, http.NoBody)
	require.NoError(t, err)
	response, err := client.Do(request)
	require.NoError(t, err)
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	return response, string(body)
}

// send writes a raw request, for forms that no client would send.
func send(t *testing.T, proxy *Proxy, lines ...string) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", proxy.Addr())
	require.NoError(t, err)
	t.Cleanup(func() { _ = conn.Close() })
	require.NoError(t, conn.SetDeadline(time.Now().Add(20*time.Second)))
	_, err = io.WriteString(conn, strings.Join(lines, "\r\n")+"\r\n\r\n")
	require.NoError(t, err)
	return conn, bufio.NewReader(conn)
}

func readResponse(t *testing.T, from *bufio.Reader, method string) *http.Response {
	t.Helper()
	response, err := http.ReadResponse(from, &http.Request{Method: method})
	require.NoError(t, err)
	t.Cleanup(func() { _ = response.Body.Close() })
	return response
}
