package cli

import (
	"log/slog"
	"net/http"
	"path/filepath"
	"time"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/platform/config"
	smtpsandbox "customerzero/internal/sandbox/smtp"
	stripesandbox "customerzero/internal/sandbox/stripe"
	xsandbox "customerzero/internal/sandbox/x"
)

// sandboxes are those that up runs in place of what is not configured.
type sandboxes struct {
	x      *xsandbox.Server
	mail   *smtpsandbox.Server
	stripe *stripesandbox.Server
	url    string // of the pages of all
}

// mailPages is where the mail sandbox shows its e-mails; empty when there is none.
func (s sandboxes) mailPages() string {
	if s.mail == nil {
		return ""
	}
	return s.url
}

func newMailSandbox() *smtpsandbox.Server {
	return smtpsandbox.New(smtpsandbox.Config{Log: quietly()})
}

// newStripeSandbox plays Stripe. Browsers reach its pages under our own address.
func newStripeSandbox(cfg config.Config) (*stripesandbox.Server, error) {
	sandbox := stripesandbox.Config{
		Key: stripeSandboxKey, WebhookSecret: stripeSandboxSecret, WebhookURL: webhookURL(cfg),
		PagesURL: publicURL(cfg) + "/sandbox/stripe", Product: product,
		File: filepath.Join(cfg.DataDir, stripeSandboxFile), Log: quietly(),
	}
	if cfg.OfferLife < checkout.OfferLife { // as long as somebody wants to watch an offer end
		sandbox.LeastTime = time.Second
	}
	return stripesandbox.New(sandbox)
}

// handler serves the pages of the sandboxes, and the endpoints of X and Stripe.
func (s sandboxes) handler() http.Handler {
	x, mail := s.x, s.mail
	mux := http.NewServeMux()
	if s.stripe != nil {
		mux.Handle("/v1/", s.stripe.Handler())
		mux.Handle("/sandbox/stripe", s.stripe.Handler())
		mux.Handle("/sandbox/stripe/", s.stripe.Handler())
	}
	if mail != nil {
		mux.Handle("/sandbox/mail", mail.Handler())
		mux.Handle("/sandbox/mail.json", mail.Handler())
		mux.Handle("/sandbox/mail/", mail.Handler())
	}
	if x != nil {
		mux.Handle("/", x.Handler())
	}
	return mux
}

// startSandboxes plays X, Stripe and the mail server where the configuration names none.
func (u *upProcess) startSandboxes() error {
	if u.cfg.SMTPURL == "" {
		if err := u.startMailSandbox(); err != nil {
			return err
		}
	}
	if u.cfg.XBaseURL == "" {
		x, err := newSandbox(u.cfg)
		if err != nil {
			return err
		}
		u.stage.x = x
		u.later(func() { _ = x.Close() })
	}
	if u.cfg.StripeSecretKey == "" {
		stripe, err := newStripeSandbox(u.cfg)
		if err != nil {
			return err
		}
		u.stage.stripe = stripe
		u.later(func() { _ = stripe.Close() })
	}
	listener, err := listenNear(u.cfg.XSandboxAddr)
	if err != nil {
		return err
	}
	server := httpServer(u.stage.handler())
	server.WriteTimeout = 0 // some of their faults are slow on purpose
	go func() {
		if err := server.Serve(listener); err != http.ErrServerClosed {
			slog.Error("the sandboxes stopped", "error", err)
		}
	}()
	u.later(func() { _ = server.Close() })
	u.stage.url = "http://" + listener.Addr().String()
	if u.stage.x != nil {
		u.cfg = withSandbox(u.cfg, u.stage.url)
	}
	if u.stage.stripe != nil {
		u.cfg = withStripeSandbox(u.cfg, u.stage.url)
	}
	return nil
}

func (u *upProcess) startMailSandbox() error {
	listener, err := listenNear(u.cfg.SMTPSandboxAddr)
	if err != nil {
		return err
	}
	u.stage.mail = newMailSandbox()
	go func() { _ = u.stage.mail.Serve(listener) }()
	u.later(func() { _ = u.stage.mail.Close() })
	u.cfg.SMTPURL = "smtp://" + listener.Addr().String()
	return nil
}
