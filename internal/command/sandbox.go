package command

import (
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"customerzero/internal/config"
	xsandbox "customerzero/internal/sandbox/x"
)

// The sandbox's credentials are no secrets: it listens on loopback and knows nobody.
const (
	sandboxConsumerKey    = "sandbox-consumer-key"
	sandboxConsumerSecret = "sandbox-consumer-secret"
	sandboxAccessToken    = "4242-sandbox-access-token"
	sandboxAccessSecret   = "sandbox-access-secret"
	sandboxUserID         = "4242"
)

// withSandbox points the settings at the X sandbox.
func withSandbox(cfg config.Config, baseURL string) config.Config {
	cfg.XBaseURL = baseURL
	cfg.XConsumerKey, cfg.XConsumerSecret = sandboxConsumerKey, sandboxConsumerSecret
	cfg.XAccessToken, cfg.XAccessSecret = sandboxAccessToken, sandboxAccessSecret
	return cfg
}

func newSandbox(cfg config.Config) (*xsandbox.Server, error) {
	return xsandbox.New(xsandbox.Config{
		App:         "Customer Zero",
		ConsumerKey: sandboxConsumerKey, ConsumerSecret: sandboxConsumerSecret,
		AccessToken: sandboxAccessToken, AccessSecret: sandboxAccessSecret,
		UserID: sandboxUserID, Username: cfg.XUsername, Name: "Customer Zero bot",
		PublicURLs: []string{"https://api.x.com", "https://api.twitter.com"},
		File:       filepath.Join(cfg.DataDir, "sandbox-x.jsonl"), Log: quietly(),
	})
}

func sandboxCommand() *cobra.Command {
	return &cobra.Command{
		Use: "sandbox", Short: "Run the X sandbox alone", Args: cobra.NoArgs,
		RunE: withConfig(func(cmd *cobra.Command, cfg config.Config, _ []string) error {
			if err := os.MkdirAll(cfg.DataDir, 0o700); err != nil {
				return fmt.Errorf("the data directory %s cannot be made; choose another with DATA_DIR (%w)", cfg.DataDir, err)
			}
			sandbox, err := newSandbox(cfg)
			if err != nil {
				return err
			}
			defer func() { _ = sandbox.Close() }()
			listener, err := net.Listen("tcp", cfg.XSandboxAddr)
			if err != nil {
				return fmt.Errorf("%s is taken or not ours; choose another X_SANDBOX_ADDR (%w)", cfg.XSandboxAddr, err)
			}
			slog.Info("the X sandbox is serving", "url", "http://"+listener.Addr().String()+"/sandbox/x")
			return serve(cmd.Context(), httpServer(sandbox.Handler()), listener)
		}),
	}
}
