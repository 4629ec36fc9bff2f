// Package stripe is a sandbox of Stripe on loopback. It implements the part of API version 2023-10-16 that
// selling one product through Checkout needs, accepts the version header of current clients, shows the payment
// page, plays refunds and disputes, sends signed webhooks, stores its state in a file, and misbehaves on request and reproducibly. With it the product's real client runs without an
// account.
//
// Only commands and tests may import it. It connects to the webhook URL only, and moves no money. It must
// refuse whatever Stripe refuses: more lenient behavior would hide bugs. It must not log what buyers enter.
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

type Server struct {
	config  Config
	state   *state
	faults  *faults.Board
	inUse   sync.Map // idempotency keys of calls that are being served
	courier *courier

	closeOnce sync.Once
}

// New starts a sandbox with the state in its file and resends undelivered webhooks.
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

// Handler serves Stripe's API under /v1 and the pages under /sandbox/stripe. The listener should be on loopback.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	s.routeAPI(mux)
	s.routePages(mux)
	s.faults.Route(mux, root+"/faults")
	return mux
}

// Close ends hanging calls and webhooks and closes the file. Close the HTTP server afterwards.
func (s *Server) Close() error {
	var err error
	s.closeOnce.Do(func() {
		s.faults.Close()
		s.courier.close()
		err = s.state.close()
	})
	return err
}

// changed sends the webhooks of a change.
func (s *Server) changed(c change) {
	for _, e := range c.Events {
		s.courier.send(e)
	}
}

// delivered stores the progress of a webhook.
func (s *Server) delivered(d Delivery) {
	err := s.state.do(func(t *tx) error {
		t.change.Deliveries = append(t.change.Deliveries, d)
		return nil
	})
	if err != nil {
		s.config.Log.Error("stripe sandbox: a delivery could not be stored", "event", d.Event, "error", err)
	}
}

// Sessions returns all sessions, oldest first.
func (s *Server) Sessions() []Session {
	return snapshot(s, func(t *tx) []Session { return t.st.sessions.all() })
}

// Coupons returns all coupons, oldest first, including deleted ones.
func (s *Server) Coupons() []Coupon {
	return snapshot(s, func(t *tx) []Coupon { return t.st.coupons.all() })
}

// Payments returns all payments, oldest first, including declined ones.
func (s *Server) Payments() []Payment {
	return snapshot(s, func(t *tx) []Payment { return t.st.payments.all() })
}

// Refunds returns all refunds, oldest first.
func (s *Server) Refunds() []Refund {
	return snapshot(s, func(t *tx) []Refund { return t.st.refunds.all() })
}

// Disputes returns all disputes, oldest first.
func (s *Server) Disputes() []Dispute {
	return snapshot(s, func(t *tx) []Dispute { return t.st.disputes.all() })
}

// Events returns all events, oldest first.
func (s *Server) Events() []Event {
	return snapshot(s, func(t *tx) []Event { return t.st.events.all() })
}

// Deliveries returns the progress of all webhooks, oldest first.
func (s *Server) Deliveries() []Delivery {
	return snapshot(s, func(t *tx) []Delivery { return t.st.deliveries.all() })
}

func snapshot[T any](s *Server, newestFirst func(*tx) []T) (objects []T) {
	_ = s.state.do(func(t *tx) error { // after an error, the last state
		objects = newestFirst(t)
		return nil
	})
	slices.Reverse(objects)
	return objects
}

// Config configures the sandbox and its account.
type Config struct {
	Key           string // API key of clients
	WebhookSecret string
	WebhookURL    string
	PagesURL      string // public URL of the pages, such as http://127.0.0.1:8080/sandbox/stripe
	Product       string // name of the seller on the payment page
	File          string // file with the state; empty: in memory

	LeastTime time.Duration // minimum duration of a session; 0: 30 min, as at Stripe
	RetryBase time.Duration // wait before the first retry of a webhook; 0: 1 s
	Now       func() time.Time
	Log       *slog.Logger
}

const (
	apiVersion = "2023-10-16"
	root       = "/sandbox/stripe"
	maxBody    = 64 << 10 // of a request, in bytes

	usualRetryBase = time.Second
)

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

// check validates the settings. Its errors contain no values, some of which are secrets.
func (c Config) check() error {
	switch {
	case c.Key == "" || c.WebhookSecret == "":
		return errors.New("stripe sandbox: the key and the webhook secret are required")
	case strings.Contains(c.Key, "_live_"):
		return errors.New("stripe sandbox: the key must not be a live key")
	case !isWeb(c.PagesURL) || !isWeb(c.WebhookURL):
		return errors.New("stripe sandbox: PagesURL and WebhookURL must be http or https URLs")
	}
	return nil
}

func isWeb(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}
