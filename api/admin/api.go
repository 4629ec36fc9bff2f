// Package admin answers founders about secrets, credentials, the audit log and failed emails.
package admin

import (
	"context"
	"time"

	"customerzero/api/auth"
	"customerzero/api/httpapi"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/email"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// API answers every operation of this feature.
type API struct {
	Audits       httpapi.AuditStore
	Bot          BotStore
	Emails       EmailStore
	Limits       httpapi.Limits
	Now          func() time.Time
	Posts        PostStore
	ClientErrors ClientErrorStore
	Runs         Runs
	Settings     []Setting
	Site         httpapi.Site
	Auth         *auth.API
}

// BotStore keeps what the bot posts with. *store.Bot implements it.
type BotStore interface {
	Connection(ctx context.Context) (*bot.Connection, error)
	ConnectionByID(ctx context.Context, id string) (bot.Connection, error)
	Disconnect(ctx context.Context, at time.Time) ([]post.Post, error)
	KeysByID(ctx context.Context, id string) (bot.ProviderKeys, error)
	PreviousKeys(ctx context.Context) (*bot.ProviderKeys, error)
	ProposeConnection(ctx context.Context, tokens bot.Tokens, accountID *string, at time.Time) (bot.Connection, error)
	ProposeKeys(ctx context.Context, keys bot.Keys, accountID *string, at time.Time) (bot.ProviderKeys, error)
	ProviderKeys(ctx context.Context) (*bot.ProviderKeys, error)
	RollBackKeys(ctx context.Context, at time.Time) (bot.ProviderKeys, error)
}

// EmailStore is the outbox. *store.Emails implements it.
type EmailStore interface {
	FailedEmails(ctx context.Context, limit int) ([]email.Message, error)
	RetryEmail(ctx context.Context, id string, at time.Time) (email.Message, error)
}

// PostStore keeps posts and slots. *store.Posts implements it.
type PostStore interface {
	CountByStatus(ctx context.Context, viewer *post.Viewer) (map[post.Status]int, error)
}

// ClientErrorStore keeps what broken pages say. *store.ClientErrors implements it.
type ClientErrorStore interface {
	// ClientErrors lists the newest first: the one of a reference, or all if it is empty.
	ClientErrors(ctx context.Context, reference string, limit int) ([]problem.ClientError, error)
	SaveClientError(ctx context.Context, report problem.ClientError) error
}

// Runs starts flows and gives them orders. *client.Client implements it.
type Runs interface {
	ReplaceKeys(ctx context.Context, providerKeyID string) error
	TryConnection(ctx context.Context, connectionID string) error
}

// Setting is a secret of the configuration, and whether it is set.
type Setting struct {
	Name string
	Set  bool
}
