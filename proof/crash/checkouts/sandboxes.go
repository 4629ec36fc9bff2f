package checkouts

import (
	"errors"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	smtpsandbox "customerzero/internal/sandbox/smtp"
	"customerzero/internal/sandbox/stripe"
	"customerzero/proof/crash/rig"
)

// The till's keys are no secrets: it listens on loopback, and charges no card.
const (
	secretKey     = "sk_test_crash0key000000000000000000"
	webhookSecret = "whsec_crash0secret0000000000000000000"
)

// till is Stripe, in our own process: it outlives every kill, and so does the money.
type till struct {
	*stripe.Server
	url  string
	stop func()
}

func openCheckoutConfig(trap *rig.Trap, api string) (*till, error) {
	listener, address, err := rig.Listen()
	if err != nil {
		return nil, err
	}
	sandbox, err := stripe.New(stripe.Config{
		Key: secretKey, WebhookSecret: webhookSecret, WebhookURL: api + "/webhooks/stripe", PagesURL: address + "/sandbox/stripe",
		RetryBase: 100 * time.Millisecond, LeastTime: time.Second, Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return &till{sandbox, address, rig.Serve(listener, watched(sandbox.Handler(), trap))}, nil
}

func (t *till) settings() []string {
	return []string{
		"STRIPE_BASE_URL=" + t.url, "STRIPE_SECRET_KEY=" + secretKey, "STRIPE_WEBHOOK_SECRET=" + webhookSecret,
		"STRIPE_PAY_HOSTS=" + strings.TrimPrefix(t.url, "http://"),
	}
}

func (t *till) close() {
	_ = t.Close()
	t.stop()
}

// watched tells the trap how far a call has got.
func watched(next http.Handler, trap *rig.Trap) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call := r.Method + " " + r.URL.Path
		switch {
		case call == "POST /v1/coupons", call == "POST /v1/checkout/sessions":
			trap.Reach(making)
			w = &rig.LateAnswer{ResponseWriter: w, Trap: trap, Moment: made}
		case strings.HasPrefix(call, "GET /v1/checkout/sessions/"):
			defer trap.ReachSoon(told)
		case strings.HasPrefix(call, "POST /sandbox/stripe/pay/"):
			defer trap.ReachSoon(paid)
		case call == "POST /v1/refunds", call == "POST /sandbox/stripe/refund":
			defer trap.ReachSoon(sentBack)
		}
		next.ServeHTTP(w, r)
	})
}

// postbox is the mail server, in our own process. It keeps every email.
type postbox struct {
	*smtpsandbox.Server
	url string
}

func openPostbox() (*postbox, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &postbox{
		smtpsandbox.New(smtpsandbox.Config{Keep: 100_000, Log: slog.New(slog.DiscardHandler)}),
		"smtp://" + listener.Addr().String() + "?tls=none",
	}
	go func() { _ = p.Serve(listener) }()
	return p, nil
}

func (p *postbox) close() { _ = p.Close() }

// page is a payment page, and the money that moved over it, as Stripe knows it. Amounts in cents.
type page struct {
	id, checkoutID, email string
	paid                  bool
	total                 int
	refunded, refunds     int // how much went back, and how often
}

// money lists all pages.
func (t *till) money() []page {
	payments := map[string]stripe.Payment{}
	for _, p := range t.Payments() {
		payments[p.ID] = p
	}
	refunds := map[string]int{}
	for _, r := range t.Refunds() {
		refunds[r.Payment]++
	}
	var pages []page
	for _, s := range t.Sessions() {
		pages = append(pages, page{
			id: s.ID, checkoutID: s.ClientReferenceID, email: s.Email, total: int(s.Total),
			paid:     s.Status == stripe.Complete && payments[s.Payment].Status == stripe.Succeeded,
			refunded: int(payments[s.Payment].Refunded), refunds: refunds[s.Payment],
		})
	}
	return pages
}
