package rig

import (
	"log/slog"
	"net/http"

	xsandbox "customerzero/internal/sandbox/x"
)

// X is the X sandbox in our own process: it outlives every kill, and so does its timeline.
type X struct {
	*xsandbox.Server
	URL  string
	stop func()
}

// xKeys are no secrets: the sandbox listens on loopback, and reaches nobody.
var xKeys = xsandbox.Config{
	ConsumerKey: "crash-consumer-key", ConsumerSecret: "crash-consumer-secret", AccessToken: "4242-crash-access-token", AccessSecret: "crash-access-secret",
	UserID: "4242", Username: "customerzerobot", Limit: 1_000_000,
}

// StartX starts it behind a handler of the caller's, or behind none.
func StartX(wrap func(http.Handler) http.Handler) (*X, error) {
	config := xKeys
	config.Log = slog.New(slog.DiscardHandler)
	server, err := xsandbox.New(config)
	if err != nil {
		return nil, err
	}
	listener, url, err := Listen()
	if err != nil {
		return nil, err
	}
	handler := server.Handler()
	if wrap != nil {
		handler = wrap(handler)
	}
	return &X{server, url, Serve(listener, handler)}, nil
}

// Settings point a product at it.
func (x *X) Settings() []string {
	return []string{
		"X_BASE_URL=" + x.URL, "X_CONSUMER_KEY=" + xKeys.ConsumerKey, "X_CONSUMER_SECRET=" + xKeys.ConsumerSecret,
		"X_ACCESS_TOKEN=" + xKeys.AccessToken, "X_ACCESS_SECRET=" + xKeys.AccessSecret,
	}
}

// Close ends it, and every call to it.
func (x *X) Close() {
	_ = x.Server.Close()
	x.stop()
}
