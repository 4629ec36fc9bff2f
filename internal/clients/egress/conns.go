package egress

import (
	"errors"
	"net"
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

// add says whether that was still allowed.
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

// CloseWrite tells the other end that nothing more comes.
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
