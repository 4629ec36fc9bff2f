package main

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

const (
	slowClients = 1000
	idleClients = 3000
	slowTarget  = 2.0 // of the wait without them
)

// slow measures what everybody else waits for while a thousand clients dawdle and thousands do nothing.
func (b *bench) slow(ctx context.Context) (found []figure, err error) {
	err = b.inWorld(ctx, "SQLite", func(w *world) error {
		if err := populate(ctx, w.database); err != nil {
			return err
		}
		alone, crowded := fetch(newestPosts), fetch(newestPosts)
		alone.address, crowded.address, crowded.during = hostOf(w.up.site), hostOf(w.up.site), beside
		c := contest{
			subject: "Slow clients, " + w.kind, what: "a page beside 1000 slow, 3000 idle ones", beside: "without them",
			baseline: alone, ours: crowded, atOnce: 16, wait: atMost(slowTarget),
		}
		found, err = c.hold(ctx)
		return err
	})
	return found, err
}

// beside does something while the crowd is there.
func beside(ctx context.Context, address string, do func() error) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	var crowd sync.WaitGroup
	defer crowd.Wait()
	defer leave()
	arrived := make(chan error, slowClients+idleClients)
	for range slowClients {
		crowd.Go(func() { dawdle(ctx, address, arrived) })
	}
	for range idleClients {
		crowd.Go(func() { idle(ctx, address, arrived) })
	}
	for range slowClients + idleClients {
		if err := <-arrived; err != nil {
			return err
		}
	}
	return do()
}

// dawdle sends a byte of a request a second, and comes again when it is shown the door.
func dawdle(ctx context.Context, address string, arrived chan<- error) {
	conn, err := dialWithin(ctx, address)
	arrived <- err
	for err == nil {
		_, failed := io.WriteString(conn, "GET / HTTP/1.1\r\nHost: bench\r\nX-Slow: ")
		for failed == nil && pass(ctx, time.Second) == nil {
			_, failed = io.WriteString(conn, "z")
		}
		_ = conn.Close()
		if ctx.Err() != nil {
			return
		}
		conn, err = dialWithin(ctx, address)
	}
}

// idle is answered once, and says nothing more.
func idle(ctx context.Context, address string, arrived chan<- error) {
	conn, err := dialWithin(ctx, address)
	if err != nil {
		arrived <- err
		return
	}
	defer func() { _ = conn.Close() }()
	_, err = io.WriteString(conn, "GET /healthz HTTP/1.1\r\nHost: bench\r\n\r\n")
	_, errAnswer := conn.Read(make([]byte, 4<<10))
	arrived <- errors.Join(err, errAnswer)
	<-ctx.Done()
}

func dialWithin(ctx context.Context, address string) (net.Conn, error) {
	return (&net.Dialer{Timeout: 30 * time.Second}).DialContext(ctx, "tcp", address)
}
