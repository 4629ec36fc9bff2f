package rig

import (
	"io"
	"net"
	"sync"
)

// proxy passes connections on, until it is cut: then it resets all of them, and every
// new one.
type proxy struct {
	listener net.Listener
	target   string

	mu      sync.Mutex
	severed bool
	open    map[*net.TCPConn]bool
}

func openProxy(target string) (*proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &proxy{listener: listener, target: target, open: map[*net.TCPConn]bool{}}
	go p.serve()
	return p, nil
}

func (p *proxy) address() string { return p.listener.Addr().String() }

func (p *proxy) serve() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.pass(conn.(*net.TCPConn)) //nolint:forcetypeassert // it listens for TCP
	}
}

func (p *proxy) pass(near *net.TCPConn) {
	defer p.drop(near)
	if !p.take(near) {
		return
	}
	dialled, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	far := dialled.(*net.TCPConn) //nolint:forcetypeassert // we dialled TCP
	defer p.drop(far)
	if !p.take(far) {
		return
	}
	go func() {
		_, _ = io.Copy(far, near)
		p.drop(far)
	}()
	_, _ = io.Copy(near, far)
}

func (p *proxy) take(conn *net.TCPConn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.severed {
		reset(conn)
		return false
	}
	p.open[conn] = true
	return true
}

func (p *proxy) drop(conn *net.TCPConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, conn)
	_ = conn.Close()
}

func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.severed = true
	for conn := range p.open {
		reset(conn)
	}
}

func (p *proxy) mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.severed = false
}

func (p *proxy) close() {
	_ = p.listener.Close()
	p.cut()
}

// reset closes a connection the hard way: what is under way is lost.
func reset(conn *net.TCPConn) {
	_ = conn.SetLinger(0)
	_ = conn.Close()
}
