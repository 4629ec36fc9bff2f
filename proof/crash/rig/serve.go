package rig

import (
	"log/slog"
	"net"
	"net/http"
	"time"
)

// Listen opens a port of ours on loopback, for somebody who outlives every kill.
func Listen() (listener net.Listener, url string, err error) {
	listener, err = net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, "", err
	}
	return listener, "http://" + listener.Addr().String(), nil
}

// Serve plays a vendor, until stop.
func Serve(listener net.Listener, handler http.Handler) (stop func()) {
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ErrorLog: slog.NewLogLogger(slog.DiscardHandler, slog.LevelError),
	}
	go func() { _ = server.Serve(listener) }()
	return func() { _ = server.Close() }
}
