package stripe

import (
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	stripego "github.com/stripe/stripe-go/v76"

	"customerzero/internal/platform/testwait"
)

func onFile(t *testing.T) func(*Config) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "stripe.jsonl")
	return func(c *Config) { c.File = file }
}

func logTo(w io.Writer) func(*Config) {
	return func(c *Config) {
		c.Log = slog.New(slog.NewTextHandler(w, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
}

// breakFile makes every further write fail.
func (w *world) breakFile() {
	w.t.Helper()
	require.NoError(w.t, w.sandbox.state.journal.Close())
	w.t.Cleanup(func() { _ = w.sandbox.Close() }) // its file is already closed
}

func TestEverythingOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	there := onFile(t)
	w := newWorld(t, there)
	w.coupon("cz-1", 25)
	open := w.session("cz-1")
	paid := w.paid()
	_, err := w.refund(paid.PaymentIntent.ID)
	require.NoError(t, err)
	params := w.keyed()
	kept, err := w.api.CheckoutSessions.New(params)
	require.NoError(t, err)
	w.hook.await(len(paidKinds) + 2)
	require.Eventually(t, func() bool {
		pending := func(d Delivery) bool { return d.Status != Delivered }
		return len(w.sandbox.Deliveries()) == len(paidKinds)+2 && !slices.ContainsFunc(w.sandbox.Deliveries(), pending)
	}, testwait.Limit, time.Millisecond)

	// The first one stays open, as after a kill.
	restarted := newWorld(t, there)
	require.Equal(t, w.sandbox.Coupons(), restarted.sandbox.Coupons())
	require.Equal(t, w.sandbox.Sessions(), restarted.sandbox.Sessions())
	require.Equal(t, w.sandbox.Payments(), restarted.sandbox.Payments())
	require.Equal(t, w.sandbox.Refunds(), restarted.sandbox.Refunds())
	require.Equal(t, w.sandbox.Events(), restarted.sandbox.Events())
	require.Equal(t, w.sandbox.Deliveries(), restarted.sandbox.Deliveries())
	require.Equal(t, buyer, restarted.read(paid.ID).CustomerDetails.Email)
	replayed, err := restarted.api.CheckoutSessions.New(params)
	require.NoError(t, err)
	require.Equal(t, kept.ID, replayed.ID)
	require.Equal(t, http.StatusSeeOther, restarted.pay(open.ID, goodCard, buyer).status)
	require.False(t, restarted.readCoupon().Valid)
}

func TestACallThatCannotBeStoredDidNotHappen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, onFile(t))
	session := w.session("")
	w.breakFile()
	_, err := w.api.Coupons.New(w.couponParams("cz-1", 25))
	require.Equal(t, stripego.ErrorTypeAPI, refused(t, err).Type)
	require.Equal(t, http.StatusServiceUnavailable, w.pay(session.ID, goodCard, buyer).status)
	require.Empty(t, w.sandbox.Coupons())
	require.Equal(t, stripego.CheckoutSessionStatusOpen, w.read(session.ID).Status)
}

func TestConfigsThatCannotWork(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*Config){
		"no key":                     func(c *Config) { c.Key = "" },
		"a live key":                 func(c *Config) { c.Key = "sk_live_sandbox" },
		"pages without a host":       func(c *Config) { c.PagesURL = "/sandbox/stripe" },
		"a webhook without a scheme": func(c *Config) { c.WebhookURL = "127.0.0.1:80" },
	} {
		config := Config{Key: testKey, WebhookSecret: testSecret, PagesURL: "http://127.0.0.1:1", WebhookURL: "http://127.0.0.1:1"}
		spoil(&config)
		_, err := New(config)
		require.Error(t, err, name)
		require.NotContains(t, err.Error(), "_sandbox")
	}
}
