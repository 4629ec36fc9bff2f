package checkouts

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/url"
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
	url     string
	stop    func()
	visitor http.Client // who does not follow redirects
}

func openTill(trap *rig.Trap, api string) (*till, error) {
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
	t := &till{Server: sandbox, url: address, stop: rig.Serve(listener, watched(sandbox.Handler(), trap))}
	t.visitor.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return t, nil
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

// pay fills in a payment page, and gives the status that it was answered with: 303 is paid,
// 402 declined, 410 closed; 0 is none.
func (t *till) pay(ctx context.Context, page, email, card string) int {
	return t.post(ctx, page, url.Values{"email": {email}, "card": {card}})
}

// refund presses the button at the dashboard.
func (t *till) refund(ctx context.Context, page string) int {
	return t.post(ctx, t.url+"/sandbox/stripe/refund", url.Values{"session": {page[strings.LastIndex(page, "/")+1:]}})
}

func (t *till) post(ctx context.Context, address string, form url.Values) int {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, address, strings.NewReader(form.Encode()))
	if err != nil {
		return 0
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := t.visitor.Do(req)
	if err != nil {
		return 0
	}
	_ = resp.Body.Close()
	return resp.StatusCode
}

// fired counts the faults that hit, by kind.
func (t *till) fired(ctx context.Context) (map[string]int, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, t.url+"/sandbox/stripe/faults", nil)
	if err != nil {
		return nil, err
	}
	resp, err := t.visitor.Do(req)
	if err != nil {
		return nil, err
	}
	defer func() { _ = resp.Body.Close() }()
	var board struct {
		Rules []struct {
			On, Fault string
			Fired     int
		}
	}
	err = json.NewDecoder(resp.Body).Decode(&board)
	counts := map[string]int{}
	for _, rule := range board.Rules {
		counts[rule.On+" "+rule.Fault] += rule.Fired
	}
	return counts, err
}

// watched tells the trap how far a call has got.
func watched(next http.Handler, trap *rig.Trap) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		call := r.Method + " " + r.URL.Path
		switch {
		case call == "POST /v1/coupons", call == "POST /v1/checkout/sessions":
			trap.Reach(making)
			w = &lateAnswer{w, trap}
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

// lateAnswer is an answer that the trap may hold up.
type lateAnswer struct {
	http.ResponseWriter
	trap *rig.Trap
}

func (a *lateAnswer) WriteHeader(status int) {
	a.trap.Reach(made)
	a.ResponseWriter.WriteHeader(status)
}

// postbox is the mail server, in our own process. It keeps every letter.
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
