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

// The sandbox's credentials are not secrets: it listens on loopback and holds no real account.
const (
	sandboxConsumerKey    = "sandbox0consumer0key00000"
	sandboxConsumerSecret = "sandbox0consumer0secret000000000000000000000000000"
	sandboxAccessToken    = "4242-sandbox-access-token"
	sandboxAccessSecret   = "sandbox-access-secret"
	sandboxUserID         = "4242"
)

// Files in DATA_DIR with the sandboxes' state.
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
		File:       filepath.Join(cfg.DataDir, xSandboxFile), Log: quiet,
	})
}

// sandboxPeople returns the founders' accounts and one account that may not log in.
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
		Use: "sandbox", Short: "Run the sandboxes of X, Stripe and mail without the product",
		Long: "Run the sandboxes of X, Stripe and mail without the product, for an API and a worker that run separately.\n" +
			"They ignore X_BASE_URL, STRIPE_SECRET_KEY and SMTP_URL.",
		Example: "  customerzero sandbox\n  X_SANDBOX_ADDR=127.0.0.1:9090 customerzero sandbox",
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, _ []string) error {
			if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
				return fmt.Errorf("the data directory %s cannot be created; choose another one with DATA_DIR (%w)", cfg.DataDir, err)
			}
			if err := makePrivate(cfg.DataDir); err != nil {
				return fmt.Errorf("other users can read the data directory %s; run chmod -R go= on it (%w)", cfg.DataDir, err)
			}
			cfg.SMTPURL, cfg.XBaseURL, cfg.StripeSecretKey = "", "", "" // every sandbox runs
			s, err := openSandboxes(cfg, listenFor)
			defer s.close()
			if err != nil {
				return err
			}
			slog.Info("the sandboxes are serving", "url", s.url()+"/sandbox/x", "smtp", s.emails.Addr().String())
			return serve(cmd.Context(), httpServer(s.handler(), s.listener.Addr(), "localhost"), s.listener)
		}),
	}
}

func listenFor(setting, address string) (net.Listener, error) {
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %s; set %s to another address (%w)", address, setting, err)
	}
	return listener, nil
}

// sandboxes replace the services that are not configured.
type sandboxes struct {
	x                *xsandbox.Server
	mail             *smtpsandbox.Server
	stripe           *stripesandbox.Server
	listener, emails net.Listener // of all pages, and of SMTP
}

// openSandboxes opens the sandbox of each service that is not configured. Close the result even if
// there is an error.
func openSandboxes(cfg config.Config, listen func(setting, address string) (net.Listener, error)) (s sandboxes, err error) {
	if cfg.SMTPURL == "" {
		if s.emails, err = listen("SMTP_SANDBOX_ADDR", cfg.SMTPSandboxAddr); err != nil {
			return s, err
		}
		mail, emails := smtpsandbox.New(smtpsandbox.Config{Log: quiet}), s.emails
		s.mail = mail
		go func() { _ = mail.Serve(emails) }()
	}
	if cfg.XBaseURL == "" {
		if s.x, err = newSandbox(cfg); err != nil {
			return s, err
		}
	}
	if cfg.StripeSecretKey == "" {
		if s.stripe, err = newStripeSandbox(cfg); err != nil {
			return s, err
		}
	}
	s.listener, err = listen("X_SANDBOX_ADDR", cfg.XSandboxAddr)
	return s, err
}

func (s sandboxes) close() {
	if s.stripe != nil {
		_ = s.stripe.Close()
	}
	if s.x != nil {
		_ = s.x.Close()
	}
	if s.mail != nil {
		_ = s.mail.Close()
	}
}

func (s sandboxes) url() string { return "http://" + s.listener.Addr().String() }

// mailPages returns the URL of the mail sandbox's inbox, or an empty string.
func (s sandboxes) mailPages() string {
	if s.mail == nil {
		return ""
	}
	return s.url()
}

// newStripeSandbox serves its pages under the product's own URL.
func newStripeSandbox(cfg config.Config) (*stripesandbox.Server, error) {
	sandbox := stripesandbox.Config{
		Key: stripeSandboxKey, WebhookSecret: stripeSandboxSecret, WebhookURL: webhookURL(cfg),
		PagesURL: publicURL(cfg) + "/sandbox/stripe", Product: product,
		File: filepath.Join(cfg.DataDir, stripeSandboxFile), Log: quiet,
	}
	if cfg.OfferLife < checkout.OfferLife { // to watch an offer expire
		sandbox.LeastTime = time.Second
	}
	return stripesandbox.New(sandbox)
}

func (s sandboxes) handler() http.Handler {
	mux := http.NewServeMux()
	if s.stripe != nil {
		for _, path := range []string{"/v1/", "/sandbox/stripe", "/sandbox/stripe/"} {
			mux.Handle(path, s.stripe.Handler())
		}
	}
	if s.mail != nil {
		for _, path := range []string{"/sandbox/mail", "/sandbox/mail.json", "/sandbox/mail/"} {
			mux.Handle(path, s.mail.Handler())
		}
	}
	if s.x != nil {
		mux.Handle("/", s.x.Handler())
	}
	return mux
}

func (u *upProcess) startSandboxes() (err error) {
	u.stage, err = openSandboxes(u.cfg, func(_, address string) (net.Listener, error) { return listenNear(address) })
	u.later(u.stage.close)
	if err != nil {
		return err
	}
	server := httpServer(u.stage.handler(), u.stage.listener.Addr(), "localhost")
	server.WriteTimeout = 0 // some of their faults are slow responses
	go func() {
		if err := server.Serve(u.stage.listener); err != http.ErrServerClosed {
			slog.Error("the sandboxes stopped", "error", err)
		}
	}()
	u.later(func() { _ = server.Close() })
	if u.stage.mail != nil {
		u.cfg.SMTPURL = "smtp://" + u.stage.emails.Addr().String()
	}
	if u.stage.x != nil {
		u.cfg = withSandbox(u.cfg, u.stage.url())
	}
	if u.stage.stripe != nil {
		u.cfg = withStripeSandbox(u.cfg, u.stage.url())
	}
	return nil
}
