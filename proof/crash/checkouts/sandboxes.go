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

// The keys are not secret: the sandbox listens on loopback and charges no card.
const (
	secretKey     = "sk_test_crash0key000000000000000000"
	webhookSecret = "whsec_crash0secret0000000000000000000"
)

// stripeServer is the Stripe sandbox. It runs in the test's process, so it and its payments survive every kill.
type stripeServer struct {
	*stripe.Server
	url  string
	stop func()
}

func openStripe(trap *rig.Trap, api string) (*stripeServer, error) {
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
	return &stripeServer{sandbox, address, rig.Serve(listener, watched(sandbox.Handler(), trap))}, nil
}

func (t *stripeServer) settings() []string {
	return []string{
		"STRIPE_BASE_URL=" + t.url, "STRIPE_SECRET_KEY=" + secretKey, "STRIPE_WEBHOOK_SECRET=" + webhookSecret,
		"STRIPE_PAY_HOSTS=" + strings.TrimPrefix(t.url, "http://"),
	}
}

func (t *stripeServer) close() {
	_ = t.Close()
	t.stop()
}

// watched reaches the moments of a call to Stripe.
func watched(next http.Handler, trap *rig.Trap) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call := r.Method + " " + r.URL.Path
		switch {
		case call == "POST /v1/coupons", call == "POST /v1/checkout/sessions":
			trap.Reach(making)
			w = &rig.LateAnswer{ResponseWriter: w, Trap: trap, Moment: made}
		case strings.HasPrefix(call, "GET /v1/checkout/sessions/"):
			defer trap.ReachSoon(returned)
		case strings.HasPrefix(call, "POST /sandbox/stripe/pay/"):
			defer trap.ReachSoon(paid)
		case call == "POST /v1/refunds", call == "POST /sandbox/stripe/refund":
			defer trap.ReachSoon(sentBack)
		}
		next.ServeHTTP(w, r)
	})
}

// mailServer is a mail server in the test's process that keeps every e-mail.
type mailServer struct {
	*smtpsandbox.Server
	url string
}

func openMailServer() (*mailServer, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &mailServer{
		smtpsandbox.New(smtpsandbox.Config{Keep: 100_000, Log: slog.New(slog.DiscardHandler)}),
		"smtp://" + listener.Addr().String() + "?tls=none",
	}
	go func() { _ = p.Serve(listener) }()
	return p, nil
}

func (p *mailServer) close() { _ = p.Close() }

// page is a payment page with its payment and refunds at Stripe. Amounts are in cents.
type page struct {
	id, checkoutID, email string
	paid                  bool
	total                 int
	refunded, refunds     int // amount and number of refunds
}

func (t *stripeServer) money() []page {
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
