package command

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"go.temporal.io/sdk/client"
	temporallog "go.temporal.io/sdk/log"
	sdkworker "go.temporal.io/sdk/worker"

	"customerzero/activities"
	"customerzero/api"
	"customerzero/internal/config"
	"customerzero/internal/embedded"
	"customerzero/internal/post"
	"customerzero/internal/social"
	"customerzero/internal/store"
	"customerzero/ui"
	"customerzero/worker"
	"customerzero/workflows"
)

// openStore opens the database and says in one sentence what to do when it does not answer.
func openStore(ctx context.Context, cfg config.Config) (*store.Store, error) {
	books, err := store.Open(cfg.DatabaseURL)
	if errors.Is(err, store.ErrAddress) {
		return nil, err
	}
	if err != nil {
		return nil, databaseTrouble(cfg, err)
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	if err := books.Ping(ctx); err != nil {
		_ = books.Close()
		return nil, databaseTrouble(cfg, err)
	}
	return books, nil
}

func databaseTrouble(cfg config.Config, err error) error {
	slog.Debug("database", "error", err)
	if cfg.SQLite() {
		return fmt.Errorf("the database file under %s cannot be opened; restore it from a backup or move it away (%w)", cfg.DataDir, err)
	}
	return fmt.Errorf("the database of DATABASE_URL does not answer; start it, or correct DATABASE_URL")
}

func dialTemporal(ctx context.Context, cfg config.Config, address string) (client.Client, error) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	dialled, err := client.DialContext(ctx, client.Options{
		HostPort: address, Namespace: cfg.TemporalNamespace, Logger: temporallog.NewStructuredLogger(quietly()),
	})
	if err != nil {
		return nil, fmt.Errorf("no Temporal answers at %s; start it, or correct TEMPORAL_ADDRESS", address)
	}
	if err := embedded.EnsureSearchAttributes(ctx, dialled, cfg.TemporalNamespace, workflows.SearchAttributes()); err != nil {
		dialled.Close()
		return nil, fmt.Errorf("the namespace %q of Temporal at %s cannot be used: %w", cfg.TemporalNamespace, address, err)
	}
	return dialled, nil
}

// quietly is the log for libraries that tell more than people want to read.
func quietly() *slog.Logger {
	return slog.New(levelled{slog.Default().Handler(), slog.LevelWarn})
}

type levelled struct {
	slog.Handler
	least slog.Level
}

func (l levelled) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= l.least && l.Handler.Enabled(ctx, level)
}

func (l levelled) WithAttrs(attrs []slog.Attr) slog.Handler {
	return levelled{l.Handler.WithAttrs(attrs), l.least}
}

func (l levelled) WithGroup(name string) slog.Handler {
	return levelled{l.Handler.WithGroup(name), l.least}
}

func newX(cfg config.Config) *social.Client {
	return social.New(social.Config{
		BaseURL: cfg.XBaseURL, ConsumerKey: cfg.XConsumerKey, ConsumerSecret: cfg.XConsumerSecret,
		AccessToken: cfg.XAccessToken, AccessSecret: cfg.XAccessSecret, Timeout: cfg.PostSendTimeout,
	})
}

func newRuns(cfg config.Config, c client.Client) *workflows.Client {
	return &workflows.Client{Temporal: c, Timing: post.TimingFor(cfg.PostSendTimeout)}
}

func newWorker(cfg config.Config, c client.Client, books *store.Store) sdkworker.Worker {
	account := newX(cfg)
	return worker.New(c, worker.Activities{
		Post:       &activities.Post{Posts: books, Account: account, Now: time.Now},
		Engagement: &activities.Engagement{Readings: books, Account: account, Now: time.Now},
		Canary:     &activities.Canary{Database: books},
	}, post.TimingFor(cfg.PostSendTimeout).Close)
}

func newStarter(books *store.Store, runs *workflows.Client) *worker.Starter {
	return &worker.Starter{Posts: books, Runs: runs, Every: 5 * time.Second}
}

func newServer(cfg config.Config, books *store.Store, runs *workflows.Client) *api.Server {
	return &api.Server{
		Posts: books, Members: books, Reports: books, Runs: runs, UI: ui.Files(), Now: time.Now,
		AdminKey: cfg.AdminKey, TrustedProxies: cfg.TrustedProxies, TweetWait: cfg.PostSendTimeout,
		Health: &api.Health{Database: books.Ping, Temporal: runs.Ping, Canary: runs.Sing, Now: time.Now},
		Site: api.Site{
			PublicURL: publicURL(cfg),
			Username:  cfg.XUsername, Sandbox: cfg.XSandbox(), XBaseURL: cfg.XBaseURL,
			TemporalURL: cfg.TemporalUIURL, Namespace: cfg.TemporalNamespace,
		},
	}
}

// httpServer bounds how long a slow client may hold a connection.
func httpServer(handler http.Handler) *http.Server {
	return &http.Server{
		Handler: handler, ReadHeaderTimeout: 5 * time.Second, ReadTimeout: 30 * time.Second,
		WriteTimeout: 60 * time.Second, IdleTimeout: 60 * time.Second,
		ErrorLog: slog.NewLogLogger(quietly().Handler(), slog.LevelWarn),
	}
}
