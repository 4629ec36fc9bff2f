package wire

import (
	"net"
	"time"
)

func (p *Proxy) serve() {
	for {
		conn, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.pass(conn.(*net.TCPConn)) //nolint:forcetypeassert // it listens for TCP
	}
}

func (p *Proxy) pass(near *net.TCPConn) {
	defer p.drop(near)
	if !p.take(near) {
		return
	}
	dialled, err := net.Dial("tcp", p.target)
	if err != nil {
		reset(near)
		return
	}
	far := dialled.(*net.TCPConn) //nolint:forcetypeassert // we dialled TCP
	defer p.drop(far)
	if !p.take(far) {
		return
	}
	go func() {
		p.copy(far, near)
		p.drop(far)
	}()
	p.copy(near, far)
}

// copy passes on what comes, until either side is gone.
func (p *Proxy) copy(to, from *net.TCPConn) {
	piece := make([]byte, 32<<10)
	for {
		n, errRead := from.Read(piece)
		if n > 0 {
			p.hold()
			if _, err := to.Write(piece[:n]); err != nil {
				return
			}
		}
		if errRead != nil {
			p.hold() // an end is news, too
			return
		}
	}
}

// hold is how long a piece takes now.
func (p *Proxy) hold() {
	p.mu.Lock()
	moving, lag := p.moving, p.lag
	p.mu.Unlock()
	<-moving
	if lag > 0 {
		timer := time.NewTimer(lag)
		defer timer.Stop()
		<-timer.C
	}
}

func (p *Proxy) take(conn *net.TCPConn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.severed {
		reset(conn)
		return false
	}
	p.open[conn] = true
	return true
}

func (p *Proxy) drop(conn *net.TCPConn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, conn)
	_ = conn.Close()
}

// reset closes a connection the hard way: what is under way is lost.
func reset(conn *net.TCPConn) {
	_ = conn.SetLinger(0)
	_ = conn.Close()
}
