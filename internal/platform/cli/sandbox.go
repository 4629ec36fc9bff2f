package cli

import (
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/platform/config"
	smtpsandbox "customerzero/internal/sandbox/smtp"
	stripesandbox "customerzero/internal/sandbox/stripe"
	xsandbox "customerzero/internal/sandbox/x"
)

// The sandbox's credentials are no secrets: it listens on loopback and knows nobody.
const (
	sandboxConsumerKey    = "sandbox0consumer0key00000"
	sandboxConsumerSecret = "sandbox0consumer0secret000000000000000000000000000"
	sandboxAccessToken    = "4242-sandbox-access-token"
	sandboxAccessSecret   = "sandbox-access-secret"
	sandboxUserID         = "4242"
)

// What the sandboxes remember.
const (
	xSandboxFile      = "sandbox-x.jsonl"
	stripeSandboxFile = "sandbox-stripe.jsonl"
)

// withSandbox points the settings at the X sandbox.
func withSandbox(cfg config.Config, baseURL string) config.Config {
	cfg.XBaseURL = baseURL
	cfg.XConsumerKey, cfg.XConsumerSecret = sandboxConsumerKey, sandboxConsumerSecret
	cfg.XAccessToken, cfg.XAccessSecret = sandboxAccessToken, sandboxAccessSecret
	if len(cfg.Founders) == 0 {
		cfg.Founders = []string{"founder_one", "founder_two"}
	}
	return cfg
}

func newSandbox(cfg config.Config) (*xsandbox.Server, error) {
	return xsandbox.New(xsandbox.Config{
		App:         "Customer Zero",
		ConsumerKey: sandboxConsumerKey, ConsumerSecret: sandboxConsumerSecret,
		AccessToken: sandboxAccessToken, AccessSecret: sandboxAccessSecret,
		UserID: sandboxUserID, Username: cfg.XUsername, Name: "Customer Zero bot", Accounts: sandboxPeople(cfg),
		PublicURLs: []string{"https://api.x.com", "https://api.twitter.com"},
		File:       filepath.Join(cfg.DataDir, xSandboxFile), Log: quietly(),
	})
}

// sandboxPeople are the founders, and a stranger who may not log in.
func sandboxPeople(cfg config.Config) []xsandbox.Account {
	founders := cfg.Founders
	if len(founders) == 0 {
		founders = withSandbox(cfg, "").Founders
	}
	people := []xsandbox.Account{{ID: "4300", Username: "some_stranger", Name: "Some Stranger"}}
	for i, handle := range founders {
		handle = strings.TrimPrefix(strings.TrimSpace(handle), "@")
		people = append(people, xsandbox.Account{ID: strconv.Itoa(4243 + i), Username: handle, Name: "Founder " + strconv.Itoa(i+1)})
	}
	return people
}

func sandboxCommand() *cobra.Command {
	return &cobra.Command{
		Use: "sandbox", Short: "Run the sandboxes of X, Stripe and the mail server alone", Args: cobra.NoArgs,
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, _ []string) error {
			if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
				return fmt.Errorf("the data directory %s cannot be made; choose another with DATA_DIR (%w)", cfg.DataDir, err)
			}
			x, err := newSandbox(cfg)
			if err != nil {
				return err
			}
			defer func() { _ = x.Close() }()
			mail := newMailSandbox()
			defer func() { _ = mail.Close() }()
			letters, err := listenFor("SMTP_SANDBOX_ADDR", cfg.SMTPSandboxAddr)
			if err != nil {
				return err
			}
			go func() { _ = mail.Serve(letters) }()
			listener, err := listenFor("X_SANDBOX_ADDR", cfg.XSandboxAddr)
			if err != nil {
				return err
			}
			stripe, err := newStripeSandbox(cfg)
			if err != nil {
				return err
			}
			defer func() { _ = stripe.Close() }()
			slog.Info("the sandboxes are serving", "url", "http://"+listener.Addr().String()+"/sandbox/x", "smtp", letters.Addr().String())
			return serve(cmd.Context(), httpServer(sandboxes{x: x, mail: mail, stripe: stripe}.handler()), listener)
		}),
	}
}

func listenFor(setting, address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("%s is taken or not ours; choose another %s (%w)", address, setting, err)
	}
	return listener, nil
}

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
