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
	slowTarget  = 2.0 // of the p99 without them
)

// slow measures other clients' requests while 1,000 clients send slowly and 3,000 connections are idle.
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

// beside runs do while the slow and idle clients are connected.
func beside(ctx context.Context, address string, do func() error) error {
	ctx, leave := context.WithCancel(ctx)
	defer leave()
	var crowd sync.WaitGroup
	defer crowd.Wait()
	defer leave()
	arrived := make(chan error, slowClients+idleClients)
	for range slowClients {
		crowd.Go(func() { sendSlowly(ctx, address, arrived) })
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

// sendSlowly sends a byte of a request per second, and reconnects when the server closes the connection.
func sendSlowly(ctx context.Context, address string, arrived chan<- error) {
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

// idle makes one request and keeps the connection open.
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
