package api

import (
	"context"
	"errors"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

const drainWithin = 15 * time.Second

// Drain shuts a server down gracefully: it first reports not ready and keeps serving for Delay, so that the reverse
// proxy stops routing traffic here, and then finishes open requests. The zero Drain has no delay; a nil one never stops.
type Drain struct {
	Delay time.Duration // between reporting not ready and closing the listener

	begun atomic.Bool
	once  sync.Once
	over  chan struct{}
}

// Begun reports whether the shutdown has begun.
func (d *Drain) Begun() bool { return d != nil && d.begun.Load() }

// Over returns a channel that is closed when the shutdown begins. Streams end then, so that their clients can
// reconnect to another replica in time.
func (d *Drain) Over() <-chan struct{} {
	if d == nil {
		return nil
	}
	d.once.Do(func() { d.over = make(chan struct{}) })
	return d.over
}

func (d *Drain) begin() {
	d.begun.Store(true)
	d.Over()
	close(d.over)
}

// Serve serves until ctx ends, drains, and returns when no request is open.
func (d *Drain) Serve(ctx context.Context, server *http.Server, listener net.Listener) error {
	server.Handler = d.closeConnections(server.Handler)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(listener) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	d.begin()
	delay := time.NewTimer(d.Delay)
	defer delay.Stop()
	select {
	case err := <-ended:
		return err
	case <-delay.C:
	}
	return finish(context.WithoutCancel(ctx), server)
}

// finish closes the listener, waits for open requests, and aborts those that take too long.
func finish(ctx context.Context, server *http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, drainWithin)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	}
	return err
}

// closeConnections makes clients use a new connection for their next request during the shutdown. Idle connections
// stay open until the end, because a request that is already sent on one of them would be lost.
func (d *Drain) closeConnections(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.Begun() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
