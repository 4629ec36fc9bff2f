package cli

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"customerzero/internal/platform/config"
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
