package egress

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
)

var errOver = errors.New("more bytes received than allowed")

// meter counts received bytes.
type meter struct {
	max  int64
	in   atomic.Int64
	over atomic.Bool
}

// add counts n bytes and reports whether the total is within the limit.
func (m *meter) add(n int) bool {
	if m.in.Add(int64(n)) <= m.max {
		return true
	}
	m.over.Store(true)
	return false
}

func (m *meter) spent() bool { return m.in.Load() > m.max }

// conns tracks a proxy's open connections on both sides.
type conns struct {
	mu     sync.Mutex
	open   map[*conn]struct{}
	closed bool
}

// conn is a tracked connection. It does not embed TCPConn, whose ReadFrom and WriteTo would bypass Read and
// its meter.
type conn struct {
	net.Conn
	all   *conns
	meter *meter // nil for connections from the browser, which are not counted
}

// track closes the connection and returns an error if the proxy is already closed.
func (c *conns) track(raw net.Conn, m *meter) (*conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, errors.Join(net.ErrClosed, raw.Close())
	}
	if c.open == nil {
		c.open = map[*conn]struct{}{}
	}
	tracked := &conn{Conn: raw, all: c, meter: m}
	c.open[tracked] = struct{}{}
	return tracked, nil
}

func (c *conns) closeAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	for open := range c.open {
		_ = open.Conn.Close()
	}
	clear(c.open)
}

func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.meter != nil && !c.meter.add(n) {
		return 0, errors.Join(errOver, c.Close())
	}
	return n, err
}

func (c *conn) Close() error {
	c.all.mu.Lock()
	delete(c.all.open, c)
	c.all.mu.Unlock()
	return c.Conn.Close()
}

// CloseWrite sends the peer an end of stream if the connection supports half-closing.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// trackedListener tracks accepted connections, including those that a handler hijacks.
type trackedListener struct {
	net.Listener
	all *conns
}

func (l *trackedListener) Accept() (net.Conn, error) {
	raw, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	return l.all.track(raw, nil)
}

// tunnel relays bytes between the browser and an https site without reading them.
func (p *Proxy) tunnel(w http.ResponseWriter, r *http.Request, s site) {
	outside, err := p.dial(r.Context(), s)
	if errors.Is(err, errOver) {
		panic(http.ErrAbortHandler)
	}
	if err != nil {
		respondFailed(w, err)
		return
	}
	defer func() { _ = outside.Close() }()
	inside, early, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return // the browser is gone
	}
	defer func() { _ = inside.Close() }()
	if _, err := io.WriteString(inside, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	join(inside, early, outside)
}

// join copies both ways until both ends have closed or one of them fails.
func join(inside net.Conn, fromInside io.Reader, outside net.Conn) {
	var both sync.WaitGroup
	both.Go(func() { relay(outside, fromInside, inside) })
	both.Go(func() { relay(inside, outside, outside) })
	both.Wait()
}

// relay copies one way. At the end of the stream it half-closes the receiver; after an error it closes both
// connections.
func relay(to net.Conn, content io.Reader, from net.Conn) {
	_, err := io.Copy(to, content)
	if half, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
		err = half.CloseWrite()
	}
	if err != nil {
		_, _ = to.Close(), from.Close()
	}
}

// DialTLSContext is DialContext with TLS. It accepts any certificate for names of this machine, which no
// certificate authority can issue one for; DialContext connects only to the configured address.
func (g *Guard) DialTLSContext(ctx context.Context, network, address string) (net.Conn, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	conn, err := g.DialContext(ctx, network, address)
	if err != nil {
		return nil, err
	}
	secure := tls.Client(conn, &tls.Config{
		MinVersion: tls.VersionTLS12, ServerName: host,
		InsecureSkipVerify: Local(host), //nolint:gosec // for names of this machine only
	})
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secure, nil
}

// Local reports whether a host is localhost or a loopback address.
func Local(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
