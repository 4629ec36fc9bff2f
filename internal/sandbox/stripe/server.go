// Package stripe is a sandbox of Stripe: a loopback server that speaks as much of its API
// (version 2023-10-16) as selling one thing through Checkout needs, so that the product's
// real client can be run, watched and broken without an account. It shows the page on which
// people pay, sends signed webhooks, keeps what it knows in a file, and misbehaves on
// request, reproducibly.
//
// No flow may know this package. It opens connections to the webhook's address only, and no
// money moves. It must refuse what Stripe refuses; being kinder than Stripe hides bugs. What
// buyers type, such as their address, may not be logged.
package stripe

import (
	"cmp"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"customerzero/internal/sandbox/faults"
)

// Server is the sandbox.
type Server struct {
	config  Config
	state   *state
	faults  *faults.Board
	inUse   sync.Map // idempotency keys of calls that are being served
	courier *courier

	closeOnce sync.Once
}

// New starts a sandbox with what its file remembers. Webhooks that were not delivered yet
// are sent again.
func New(config Config) (*Server, error) {
	config = config.withDefaults()
	if err := config.check(); err != nil {
		return nil, err
	}
	s := &Server{config: config, faults: faults.NewBoard(faultsOn, nil)}
	st, err := newState(config, s.changed)
	if err != nil {
		return nil, fmt.Errorf("stripe sandbox: open the state: %w", err)
	}
	s.state = st
	s.courier = newCourier(config, s.faults, s.delivered)
	for _, e := range st.undelivered() {
		s.courier.send(e)
	}
	return s, nil
}

// Handler serves Stripe's endpoints under /v1, and the sandbox's pages under
// /sandbox/stripe. It is meant for a listener on loopback.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	s.routeAPI(mux)
	s.routePages(mux)
	s.faults.Route(mux, root+"/faults")
	return mux
}

// Close lets go of calls that hang, of webhooks on their way, and of the file. Stop the
// HTTP server after it.
func (s *Server) Close() error {
	var err error
	s.closeOnce.Do(func() {
		s.faults.Close()
		s.courier.close()
		err = s.state.close()
	})
	return err
}

// changed passes on what a change brings about.
func (s *Server) changed(c change) {
	for _, e := range c.Events {
		s.courier.send(e)
	}
}

// delivered writes down how a webhook fared.
func (s *Server) delivered(d Delivery) {
	err := s.state.do(func(t *tx) error {
		t.change.Deliveries = append(t.change.Deliveries, d)
		return nil
	})
	if err != nil {
		s.config.Log.Error("stripe sandbox: a delivery cannot be written down", "event", d.Event, "error", err)
	}
}

// Sessions returns every session, oldest first.
func (s *Server) Sessions() []Session {
	return look(s, func(t *tx) []Session { return t.st.sessions.all() })
}

// Coupons returns every coupon, oldest first; deleted ones as well.
func (s *Server) Coupons() []Coupon {
	return look(s, func(t *tx) []Coupon { return t.st.coupons.all() })
}

// Payments returns every payment, oldest first; declined ones as well.
func (s *Server) Payments() []Payment {
	return look(s, func(t *tx) []Payment { return t.st.payments.all() })
}

// Refunds returns every refund, oldest first.
func (s *Server) Refunds() []Refund {
	return look(s, func(t *tx) []Refund { return t.st.refunds.all() })
}

// Events returns every event, oldest first.
func (s *Server) Events() []Event {
	return look(s, func(t *tx) []Event { return t.st.events.all() })
}

// Deliveries returns how each event's webhook fares, oldest first.
func (s *Server) Deliveries() []Delivery {
	return look(s, func(t *tx) []Delivery { return t.st.deliveries.all() })
}

func look[T any](s *Server, newestFirst func(*tx) []T) (objects []T) {
	_ = s.state.do(func(t *tx) error { // after an error, what was known before
		objects = newestFirst(t)
		return nil
	})
	slices.Reverse(objects)
	return objects
}

// Config describes which account the sandbox plays.
type Config struct {
	Key           string // the API key that clients send
	WebhookSecret string
	WebhookURL    string
	PagesURL      string // of the sandbox's pages, as browsers reach them: http://127.0.0.1:8080/sandbox/stripe
	Product       string // who sells, as the payment page says it
	File          string // where everything is kept; none: in memory

	LeastTime time.Duration // that a session lasts; half an hour when left out, as at Stripe
	RetryBase time.Duration // how long the first retry of a webhook waits; 1 s when left out
	Now       func() time.Time
	Log       *slog.Logger
}

const (
	apiVersion = "2023-10-16"
	root       = "/sandbox/stripe"
	maxBody    = 64 << 10 // of a request, in bytes

	usualRetryBase = time.Second
)

// withDefaults fills in what was left out.
func (c Config) withDefaults() Config {
	c.Product = cmp.Or(c.Product, "This shop")
	c.LeastTime = cmp.Or(c.LeastTime, leastTime)
	c.RetryBase = cmp.Or(c.RetryBase, usualRetryBase)
	c.Log = cmp.Or(c.Log, slog.Default())
	if c.Now == nil {
		c.Now = time.Now
	}
	c.PagesURL = strings.TrimSuffix(c.PagesURL, "/")
	return c
}

// check names settings only, never their values: some of them are secrets.
func (c Config) check() error {
	switch {
	case c.Key == "" || c.WebhookSecret == "":
		return errors.New("stripe sandbox: the key and the webhook secret are required")
	case strings.Contains(c.Key, "_live_"):
		return errors.New("stripe sandbox: the key is a live one, which has no place here")
	case !isWeb(c.PagesURL) || !isWeb(c.WebhookURL):
		return errors.New("stripe sandbox: the URLs of the pages and of the webhook are http or https URLs")
	}
	return nil
}

func isWeb(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
