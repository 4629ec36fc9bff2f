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

var errOver = errors.New("more came in than may")

// meter counts what comes in.
type meter struct {
	max  int64
	in   atomic.Int64
	over atomic.Bool
}

// add reports whether that was still allowed.
func (m *meter) add(n int) bool {
	if m.in.Add(int64(n)) <= m.max {
		return true
	}
	m.over.Store(true)
	return false
}

func (m *meter) spent() bool { return m.in.Load() > m.max }

// conns are the connections of a gate that are open, on both sides.
type conns struct {
	mu     sync.Mutex
	open   map[*conn]struct{}
	closed bool
}

// conn is a connection that its gate knows of. It embeds no TCPConn: that one would copy past
// Read, and nobody would count.
type conn struct {
	net.Conn
	all   *conns
	meter *meter // nil: what comes from the browser is not counted
}

// track is too late when the gate was closed: then the connection is, too.
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

// CloseWrite reports the other end that nothing more comes.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// trackedListener knows what it accepted, also after the server gave it away.
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

// tunnel connects the browser with an https site. What they say to each other is theirs.
func (g *Gate) tunnel(w http.ResponseWriter, r *http.Request, s site) {
	outside, err := g.dial(r.Context(), s)
	if errors.Is(err, errOver) {
		panic(http.ErrAbortHandler)
	}
	if err != nil {
		sayFailed(w, err)
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

// join copies both ways until both ends have said everything, or one of them breaks.
func join(inside net.Conn, fromInside io.Reader, outside net.Conn) {
	var both sync.WaitGroup
	both.Go(func() { pour(outside, fromInside, inside) })
	both.Go(func() { pour(inside, outside, outside) })
	both.Wait()
}

// pour copies one way. An end that has said everything may still listen; after an error neither
// of them does.
func pour(to net.Conn, what io.Reader, from net.Conn) {
	_, err := io.Copy(to, what)
	if half, ok := to.(interface{ CloseWrite() error }); ok && err == nil {
		err = half.CloseWrite()
	}
	if err != nil {
		_, _ = to.Close(), from.Close()
	}
}

// DialTLSContext is DialContext for TLS. At a name of this machine alone it believes every
// certificate: nobody is given one for such a name, and a guard dials only where the operator
// placed the site.
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
		InsecureSkipVerify: Local(host), //nolint:gosec // at such a name alone
	})
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = conn.Close()
		return nil, err
	}
	return secure, nil
}

// Local reports whether a name is one of this machine alone.
func Local(host string) bool {
	ip, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && ip.IsLoopback()
}
