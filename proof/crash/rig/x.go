package rig

import (
	"log/slog"
	"net/http"

	xsandbox "customerzero/internal/sandbox/x"
)

// X is the X sandbox. It runs in the test's process, so it and its timeline survive every kill.
type X struct {
	*xsandbox.Server
	URL  string
	stop func()
}

// xKeys are not secret: the sandbox listens on loopback.
var xKeys = xsandbox.Config{
	ConsumerKey: "crash-consumer-key", ConsumerSecret: "crash-consumer-secret", AccessToken: "4242-crash-access-token", AccessSecret: "crash-access-secret",
	UserID: "4242", Username: "customerzerobot", Limit: 1_000_000,
}

// StartX starts the sandbox, wrapped by the caller's handler unless wrap is nil.
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

// Settings are the product's settings to use the sandbox, as NAME=value.
func (x *X) Settings() []string {
	return []string{
		"X_BASE_URL=" + x.URL, "X_CONSUMER_KEY=" + xKeys.ConsumerKey, "X_CONSUMER_SECRET=" + xKeys.ConsumerSecret,
		"X_ACCESS_TOKEN=" + xKeys.AccessToken, "X_ACCESS_SECRET=" + xKeys.AccessSecret,
	}
}

// Close stops the sandbox and every call to it.
func (x *X) Close() {
	_ = x.Server.Close()
	x.stop()
}
