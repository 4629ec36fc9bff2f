package journeys_test

import (
	"context"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/clients/smtp"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/email"
	smtpsandbox "customerzero/internal/sandbox/smtp"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/worker"
)

// Who is known to X, beside the bot.
var (
	founder  = xsandbox.Account{ID: "7", Username: "grace", Name: "Grace"}
	stranger = xsandbox.Account{ID: "8", Username: "stranger", Name: "Somebody"}
)

const (
	site     = "http://127.0.0.1:8080"
	callback = site + "/auth/x/callback"
)

func (w *world) startX(t *testing.T, send time.Duration) {
	t.Helper()
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

// misbehave makes X misbehave, or behave again.
func (w *world) misbehave(t *testing.T, rules ...xsandbox.Rule) {
	t.Helper()
	require.NoError(t, w.x.SetFaults(xsandbox.Faults{Rules: rules}))
}

func (w *world) startMail(t *testing.T) {
	t.Helper()
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

// door is a listener that hangs up on everybody while it is shut, as a server does that
// is down behind its proxy.
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

// emailSender hands e-mails over as command's does, and knows as little of them.
type postbox struct{ sender *smtp.Sender }

func (w *world) postbox(t *testing.T) postbox {
	t.Helper()
	sender, err := smtp.NewSender(smtp.Config{URL: "smtp://" + w.door.Addr().String(), PublicURL: site})
	require.NoError(t, err)
	return postbox{sender}
}

func (p postbox) Send(ctx context.Context, l email.Letter, c email.Content) error {
	facts := smtp.Facts{"Bot": "@customerzerobot", "QueueURL": site + "/bot-operations", "SchedulerURL": site + "/scheduler", "PrivacyURL": site + "/privacy", "RunURL": site + "/runs/" + c.Facts["Run"]}
	maps.Copy(facts, c.Facts)
	return p.sender.Send(ctx, smtp.Letter{ID: l.ID, Kind: l.Kind, To: c.To, Facts: facts, Unsubscribe: site + "/unsubscribe"})
}
