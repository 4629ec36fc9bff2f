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

// drainWithin is how long what has begun may take to end.
const drainWithin = 15 * time.Second

// Drain is how a process stops serving: it says first that it is not ready, and goes on for a
// while, so that a proxy sends the next ones elsewhere; then it finishes what it has begun.
// The zero Drain stops at once, and a nil one never does.
type Drain struct {
	Delay time.Duration // between saying so and stopping

	begun atomic.Bool
	once  sync.Once
	over  chan struct{}
}

// Begun says whether this process is about to stop.
func (d *Drain) Begun() bool { return d != nil && d.begun.Load() }

// Over is closed when answers that would never end by themselves have to: first of all, so that
// whoever listens is somewhere else before this process takes nobody any more.
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

// Serve answers until ctx ends, drains, and returns when nothing is under way.
func (d *Drain) Serve(ctx context.Context, server *http.Server, listener net.Listener) error {
	server.Handler = d.parting(server.Handler)
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

// finish takes nobody any more, and lets those go who are too slow.
func finish(ctx context.Context, server *http.Server) error {
	ctx, cancel := context.WithTimeout(ctx, drainWithin)
	defer cancel()
	err := server.Shutdown(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return server.Close()
	}
	return err
}

// parting asks for the next request on another connection. Idle ones stay open until the end:
// a request that is on its way to us on one of them would be lost.
func (d *Drain) parting(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.Begun() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
