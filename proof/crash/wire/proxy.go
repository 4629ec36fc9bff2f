// Package wire passes connections on, and lets them go bad in the ways that networks know: cut,
// silent, slow. Crash tests put it before what the product depends on.
package wire

import (
	"net"
	"sync"
	"time"
)

// Proxy passes connections on to a target.
type Proxy struct {
	listener net.Listener
	target   string

	mu      sync.Mutex
	severed bool
	lag     time.Duration
	moving  chan struct{} // closed: bytes pass
	open    map[*net.TCPConn]bool
}

// Open listens on loopback.
func Open(target string) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{listener: listener, target: target, moving: make(chan struct{}), open: map[*net.TCPConn]bool{}}
	close(p.moving)
	go p.serve()
	return p, nil
}

// Address is where it listens.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Cut resets all connections, and every new one, until Mend.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.severed = true
	for conn := range p.open {
		reset(conn)
	}
}

// Reset resets all connections; new ones are taken.
func (p *Proxy) Reset() {
	p.Cut()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.severed = false
}

// Silence keeps every byte until Mend. Nobody is told: connections stay open, and new ones are
// taken, as by a machine whose other side was unplugged.
func (p *Proxy) Silence() {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case <-p.moving:
		p.moving = make(chan struct{})
	default:
	}
}

// Slow has every piece arrive so much later, in either direction, until Mend.
func (p *Proxy) Slow(lag time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.lag = lag
}

// Mend lets everything pass again, also what was kept.
func (p *Proxy) Mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.severed, p.lag = false, 0
	select {
	case <-p.moving:
	default:
		close(p.moving)
	}
}

// Close ends it, and every connection.
func (p *Proxy) Close() {
	_ = p.listener.Close()
	p.Mend()
	p.Cut()
}
