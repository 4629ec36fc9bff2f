package e2e

import (
	"context"
	"io"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/activities"
	"customerzero/internal/clients/smtp"
	"customerzero/internal/clients/stripe"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/pricing"
	smtpsandbox "customerzero/internal/sandbox/smtp"
	stripesandbox "customerzero/internal/sandbox/stripe"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/worker"
)

// The accounts at X in addition to the bot's.
var (
	founder  = xsandbox.Account{ID: "7", Username: "grace", Name: "Grace"}
	stranger = xsandbox.Account{ID: "8", Username: "stranger", Name: "Stranger"}
)

const (
	site     = "http://127.0.0.1:8080"
	callback = site + "/auth/x/callback"
)

func (w *world) startX(t *testing.T, send time.Duration) {
	var err error
	w.x, err = xsandbox.New(xsandbox.Config{
		ConsumerKey: consumerKey, ConsumerSecret: consumerSecret, AccessToken: accessToken, AccessSecret: accessSecret,
		UserID: "4242", Username: "customerzerobot", Accounts: []xsandbox.Account{founder, stranger},
		Callbacks: []string{callback}, Log: slog.Default(),
	})
	require.NoError(t, err)
	listener := httptest.NewServer(w.counting(w.x.Handler()))
	t.Cleanup(func() {
		require.NoError(t, w.x.Close())
		listener.Close()
	})
	w.xURL = listener.URL
	now := time.Now()
	require.NoError(t, w.db.Bot.SeedKeys(t.Context(), bot.Keys{ConsumerKey: consumerKey, ConsumerSecret: consumerSecret}, now))
	require.NoError(t, w.db.Bot.SeedConnection(t.Context(), bot.Tokens{AccessToken: accessToken, AccessSecret: accessSecret}, "customerzerobot", now))
	w.account = &worker.X{Store: w.db.Bot, BaseURL: listener.URL, Timeout: send}
}

func (w *world) counting(x http.Handler) http.Handler {
	return http.HandlerFunc(func(answer http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && r.URL.Path == "/2/tweets" {
			w.sends.Add(1)
			w.silence.RLock()
			defer w.silence.RUnlock()
		}
		x.ServeHTTP(answer, r)
	})
}

// misbehave sets the faults of X; without rules it removes them.
func (w *world) misbehave(t *testing.T, rules ...xsandbox.Rule) {
	require.NoError(t, w.x.SetFaults(xsandbox.Faults{Rules: rules}))
}

func (w *world) startMail(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	w.door = &door{Listener: listener}
	w.mail = smtpsandbox.New(smtpsandbox.Config{Log: slog.Default()})
	served := make(chan error, 1)
	go func() { served <- w.mail.Serve(w.door) }()
	t.Cleanup(func() {
		require.NoError(t, w.mail.Close())
		require.NoError(t, <-served)
	})
}

// door is a listener that closes every connection while it is shut, like a proxy of a server that is down.
type door struct {
	net.Listener
	shut   atomic.Bool
	hungUp atomic.Int32
}

func (d *door) Accept() (net.Conn, error) {
	for {
		conn, err := d.Listener.Accept()
		if err != nil || !d.shut.Load() {
			return conn, err
		}
		_ = conn.Close()
		d.hungUp.Add(1)
	}
}

// postbox sends e-mails as the product's sender does.
type postbox struct{ sender *smtp.Sender }

func (w *world) postbox(t *testing.T) postbox {
	sender, err := smtp.NewSender(smtp.Config{URL: "smtp://" + w.door.Addr().String(), PublicURL: site})
	require.NoError(t, err)
	return postbox{sender}
}

func (p postbox) Send(ctx context.Context, l email.Message, c email.Content) error {
	facts := smtp.Facts{"Bot": "@customerzerobot", "QueueURL": site + "/bot-operations", "SchedulerURL": site + "/scheduler", "PrivacyURL": site + "/privacy", "RunURL": site + "/runs/" + c.Facts["Run"]}
	maps.Copy(facts, c.Facts)
	return p.sender.Send(ctx, smtp.Email{ID: l.ID, Kind: l.Kind, To: c.To, Facts: facts, Unsubscribe: site + "/unsubscribe"})
}

// The secrets shared with Stripe.
const (
	stripeKey     = "sk_test_canary0key0of0stripe"
	webhookSecret = "whsec_canary0secret0of0webhooks"
)

type shop struct {
	stripe   *stripesandbox.Server
	payments *stripe.Client
	url      string // of Stripe
}

func (w *world) startStripe(t *testing.T) {
	w.plant(stripeKey, webhookSecret)
	hook := httptest.NewServer(http.HandlerFunc(w.receiveWebhook))
	listener := httptest.NewUnstartedServer(nil)
	base := "http://" + listener.Listener.Addr().String()
	service, err := stripesandbox.New(stripesandbox.Config{
		Key: stripeKey, WebhookSecret: webhookSecret, WebhookURL: hook.URL, PagesURL: base + "/sandbox/stripe",
		Product: "Membership", RetryBase: 50 * time.Millisecond, Log: slog.Default(),
	})
	require.NoError(t, err)
	listener.Config.Handler = service.Handler()
	listener.Start()
	t.Cleanup(func() {
		require.NoError(t, service.Close())
		listener.Close()
		hook.Close()
	})
	payments, err := stripe.New(stripe.Config{
		SecretKey: stripeKey, BaseURL: base, PayHosts: []string{strings.TrimPrefix(base, "http://")}, Product: "Membership", Timeout: longSend,
	})
	require.NoError(t, err)
	w.shop = &shop{stripe: service, payments: payments, url: base}
}

func (s *shop) activities(w *world) *activities.Checkout {
	return &activities.Checkout{
		Store: w.db.Checkouts, Limits: w.db.Limits, ModelCalls: w.db.ModelCalls, Payments: s.payments, DemoPayments: s.payments, Runs: w.runs, Site: site,
		Budget: checkout.Budget{FloorCents: 600, MonthCents: 100_000}, Now: time.Now,
	}
}

func (w *world) receiveWebhook(rw http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return
	}
	e, err := stripe.ReadEvent(body, r.Header.Get("Stripe-Signature"), []string{webhookSecret}, time.Now())
	if err == nil && e.Kind() != checkout.OtherEvent {
		var id string
		var handled bool
		if id, handled, err = w.db.Checkouts.NoteEvent(r.Context(), e, time.Now()); err == nil && id != "" && !handled {
			err = w.runs.NotifyPayment(r.Context(), id, e.Kind())
		}
		if err == nil {
			err = w.db.Checkouts.MarkEventHandled(r.Context(), e.ID, time.Now())
		}
	}
	if err != nil {
		rw.WriteHeader(http.StatusServiceUnavailable)
	}
}

// want stores a visitor's checkout and quotes it.
func (w *world) want(t *testing.T) checkout.Receipt {
	r := w.wish(t)
	require.NoError(t, w.runs.Quote(t.Context(), r.ID))
	return w.receipt(t, r.ID)
}

// wish stores a visitor's checkout, as the API does before it starts the run.
func (w *world) wish(t *testing.T) checkout.Receipt {
	visitor := xid.New().String()
	r, err := w.db.Checkouts.BeginCheckout(t.Context(), checkout.Request{
		ID: checkout.NewID(), Visitor: &visitor, Personal: true,
		Behaviour: pricing.Behaviour{Visits: 3, TimeOnSite: 120, ViewedPricing: true, AddedToCart: true, UserType: pricing.ReturningVisitor},
	}, time.Now())
	require.NoError(t, err)
	return r
}

func (w *world) receipt(t *testing.T, id string) checkout.Receipt {
	return fetch(t, w.db.Checkouts.Receipt, id)
}

func (w *world) pay(t *testing.T, r checkout.Receipt, address string) {
	form := url.Values{"email": {address}, "card": {"4242"}}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, r.PaymentURL, strings.NewReader(form.Encode()))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("Origin", w.shop.url)
	browser := http.Client{Transport: &http.Transport{}, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := browser.Do(req)
	require.NoError(t, err)
	defer func() { _ = resp.Body.Close() }()
	require.Equal(t, http.StatusSeeOther, resp.StatusCode)
	require.Equal(t, site+"/pricing/success?checkout="+r.ID, resp.Header.Get("Location"))
}
