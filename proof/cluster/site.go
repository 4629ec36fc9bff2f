package cluster

import (
	"context"
	"fmt"
	"net"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// orphanEnds is how long the proxy of a cluster that was killed may hold its addresses.
const orphanEnds = 3 * time.Second

// site is an address that people use, with the socket of the proxy that serves it. For a moment
// there are two: the system lets several listen to one address if all of them say so.
type site struct {
	address       string
	current, next *os.File
}

// Of sockets that share an address, by their place in the order of coming.
const (
	oldest = 0
	newest = 1
)

// openSite takes an address, which nobody else may have.
func openSite(ctx context.Context, address string) (*site, error) {
	taken, err := net.Listen("tcp", address)
	Until(ctx, orphanEnds, func() bool {
		if err != nil {
			taken, err = net.Listen("tcp", address)
		}
		return err == nil
	})
	if err != nil {
		return nil, fmt.Errorf("%s is taken or not ours; choose another address (%w)", address, err)
	}
	s := &site{address: taken.Addr().String()}
	_ = taken.Close() // it would not share
	if s.current, err = s.socket(ctx); err != nil {
		return nil, err
	}
	return s, steer(s.current, oldest)
}

func (s *site) socket(ctx context.Context) (*os.File, error) {
	sharing := net.ListenConfig{Control: func(_, _ string, socket syscall.RawConn) (err error) {
		failed := socket.Control(func(fd uintptr) { err = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_REUSEPORT, 1) })
		if failed != nil {
			return failed
		}
		return err
	}}
	sharing.SetMultipathTCP(false) // such a socket cannot be steered
	listener, err := sharing.Listen(ctx, "tcp", s.address)
	if err != nil {
		return nil, err
	}
	defer func() { _ = listener.Close() }()   // the file holds the port
	return listener.(*net.TCPListener).File() //nolint:forcetypeassert // it listens for TCP
}

// prepare opens a second socket, to which nobody is sent yet.
func (s *site) prepare(ctx context.Context) (err error) {
	s.next, err = s.socket(ctx)
	return err
}

// settle keeps one socket: the next, if it has taken over.
func (s *site) settle(takenOver bool) {
	if s.next == nil {
		return
	}
	if takenOver {
		s.current, s.next = s.next, s.current
	}
	_ = s.next.Close()
	s.next = nil
	_ = steer(s.current, oldest) // it is alone, or will be at once
}

func (s *site) close() {
	s.settle(false)
	_ = s.current.Close()
}
