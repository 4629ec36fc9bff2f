package rig

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Listen opens a port of ours on loopback, for a sandbox that outlives every kill.
func Listen() (listener net.Listener, url string, err error) {
	listener, err = net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	return listener, "http://" + listener.Addr().String(), nil
}

// Serve runs a sandbox, until stop.
func Serve(listener net.Listener, handler http.Handler) (stop func()) {
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	go func() { _ = server.Serve(listener) }()
	return func() { _ = server.Close() }
}

// LateAnswer is an answer that a trap may hold up.
type LateAnswer struct {
	http.ResponseWriter
	Trap   *Trap
	Moment Moment
}

// WriteHeader reaches the moment before anything is sent.
func (a *LateAnswer) WriteHeader(status int) {
	a.Trap.Reach(a.Moment)
	a.ResponseWriter.WriteHeader(status)
}

// Fired counts the faults that a sandbox has inflicted on calls, by kind; page is where it lists them.
func Fired(ctx context.Context, url, page string) (map[string]int, error) {
	var board struct {
		Rules []struct {
			On, Fault string
			Fired     int
		}
	}
	if NewCaller(url, http.Header{}).Call(ctx, http.MethodGet, page, nil, &board).Outcome != Success {
		return nil, errors.New("the sandbox does not list its faults")
	}
	counts := map[string]int{}
	for _, rule := range board.Rules {
		counts[rule.On+" "+rule.Fault] += rule.Fired
	}
	return counts, nil
}
