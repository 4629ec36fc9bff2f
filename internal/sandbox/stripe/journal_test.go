package stripe

import (
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
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

// spoilTheFile makes every write fail from now on.
func (w *world) spoilTheFile() {
	st := w.sandbox.state
	st.mu.Lock()
	defer st.mu.Unlock()
	st.journal = spoiled{st.journal}
}

type spoiled struct{ journal }

func (spoiled) Append(any) error { return errors.New("the disk is full") }

func TestEverythingOutlivesTheProcess(t *testing.T) {
	t.Parallel()
	there := onFile(t)
	w := newWorld(t, there)
	w.coupon("cz-1", 25)
	open := w.session("cz-1")
	paid := w.paid()
	_, err := w.refund(paid.PaymentIntent.ID, 100)
	require.NoError(t, err)
	params := w.keyed("k")
	kept, err := w.api.CheckoutSessions.New(params)
	require.NoError(t, err)
	w.hook.await(2)
	require.Eventually(t, func() bool { return w.delivery().Status == Delivered }, testwait.Limit, time.Millisecond)

	// Nobody closed the first one: a killed process does not either.
	again := newWorld(t, there)
	require.Equal(t, w.sandbox.Coupons(), again.sandbox.Coupons())
	require.Equal(t, w.sandbox.Sessions(), again.sandbox.Sessions())
	require.Equal(t, w.sandbox.Payments(), again.sandbox.Payments())
	require.Equal(t, w.sandbox.Refunds(), again.sandbox.Refunds())
	require.Equal(t, w.sandbox.Events(), again.sandbox.Events())
	require.Equal(t, w.sandbox.Deliveries(), again.sandbox.Deliveries())
	require.Equal(t, buyer, again.read(paid.ID).CustomerDetails.Email)
	replayed, err := again.api.CheckoutSessions.New(params)
	require.NoError(t, err)
	require.Equal(t, kept.ID, replayed.ID)
	require.Equal(t, http.StatusSeeOther, again.pay(open.ID, goodCard, buyer).status)
	require.False(t, again.readCoupon().Valid)
	info, err := os.Stat(again.sandbox.config.File)
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), "it holds addresses")
}

func TestSessionsEndWhileTheProcessIsDown(t *testing.T) {
	t.Parallel()
	there := onFile(t)
	w := newWorld(t, there)
	session := w.session("")
	require.NoError(t, w.sandbox.Close())
	later := &clock{now: w.clock.Now().Add(time.Hour)}
	again := newWorld(t, there, func(c *Config) { c.Now = later.Now })
	require.Equal(t, session.ID, again.hook.await(1)[0].Data.Object["id"])
}

func TestATornLastLineIsDroppedAndReported(t *testing.T) {
	t.Parallel()
	there := onFile(t)
	var log bytes.Buffer
	w := newWorld(t, there)
	w.coupon("cz-1", 25)
	require.NoError(t, w.sandbox.Close())
	file := w.sandbox.config.File
	whole, err := os.ReadFile(file)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(file, append(whole, whole[:len(whole)/2]...), 0o600))
	again := newWorld(t, there, logTo(&log))
	require.Len(t, again.sandbox.Coupons(), 1)
	require.Contains(t, log.String(), "torn last line")
}

func TestADamagedFileIsNotGuessedAt(t *testing.T) {
	t.Parallel()
	config := Config{Key: testKey, WebhookSecret: testSecret, PagesURL: "http://127.0.0.1:1"}
	onFile(t)(&config)
	require.NoError(t, os.WriteFile(config.File, []byte("{}\nnonsense\n"), 0o600))
	_, err := New(config)
	require.ErrorContains(t, err, "line 2")
}

func TestWhatCannotBeKeptDidNotHappen(t *testing.T) {
	t.Parallel()
	w := newWorld(t, onFile(t))
	session := w.session("")
	w.spoilTheFile()
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
		"no webhook secret":          func(c *Config) { c.WebhookSecret = "" },
		"no pages":                   func(c *Config) { c.PagesURL = "" },
		"pages without a host":       func(c *Config) { c.PagesURL = "/sandbox/stripe" },
		"a webhook without a scheme": func(c *Config) { c.WebhookURL = "127.0.0.1:80" },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			config := Config{Key: testKey, WebhookSecret: testSecret, PagesURL: "http://127.0.0.1:1"}
			spoil(&config)
			_, err := New(config)
			require.Error(t, err)
			require.NotContains(t, err.Error(), "_sandbox")
		})
	}
}
