package api

import (
	"context"
	"time"

	"customerzero/internal/account"
	"customerzero/internal/audit"
	"customerzero/internal/bot"
	"customerzero/internal/diagnosis"
	"customerzero/internal/letter"
	"customerzero/internal/post"
	"customerzero/workflows"
)

// AccountBook keeps who can log in, and who is. *store.Store implements it.
type AccountBook interface {
	Login(ctx context.Context, token string, at time.Time) (*account.Login, error)
	OpenSession(ctx context.Context, n account.NewSession, at time.Time) (account.Session, error)
	Sessions(ctx context.Context, accountID string, at time.Time) ([]account.Session, error)
	EndSession(ctx context.Context, accountID, id string) error
	EndSessions(ctx context.Context, accountID string) error
	AccountByEmail(ctx context.Context, email string) (*account.Account, error)
	AccountByName(ctx context.Context, name string) (*account.Account, error)
	XAccount(ctx context.Context, userID, handle string, at time.Time) (account.Account, error)
	SetNotices(ctx context.Context, accountID string, wanted bool) error
	IssueCode(ctx context.Context, n account.NewCode, at time.Time) (letterID string, err error)
	RedeemLogin(ctx context.Context, g account.Guess, n account.NewSession, at time.Time) (account.Session, error)
	RedeemAddress(ctx context.Context, g account.Guess, at time.Time) error
	RedeemClaim(ctx context.Context, token string, n account.NewSession, at time.Time) (account.Session, error)
}

// LoginBook keeps logins with X under way. *store.Store implements it.
type LoginBook interface {
	BeginXLogin(ctx context.Context, l account.XLogin, visitor string) error
	XLogin(ctx context.Context, id string) (account.XLogin, error)
	RequestToken(ctx context.Context, loginID string) (account.RequestToken, error)
	BringXLoginBack(ctx context.Context, r account.Returned, at time.Time) (account.XLogin, error)
}

// DiagnosisBook keeps what the diagnostic finds. *store.Store implements it.
type DiagnosisBook interface {
	BeginDiagnosis(ctx context.Context, d diagnosis.Run) error
	Diagnosis(ctx context.Context, id string) (diagnosis.Run, error)
	LatestDiagnosis(ctx context.Context, visitor string, since time.Time) (diagnosis.Run, error)
}

// BotBook keeps what the bot posts with. *store.Store implements it.
type BotBook interface {
	Take(ctx context.Context, limit account.Limit, whom string, at time.Time) error
	Connection(ctx context.Context) (*bot.Connection, error)
	ConnectionByID(ctx context.Context, id string) (bot.Connection, error)
	ProposeConnection(ctx context.Context, tokens bot.Tokens, accountID *string, at time.Time) (bot.Connection, error)
	Disconnect(ctx context.Context, at time.Time) ([]post.Post, error)
	ProviderKeys(ctx context.Context) (*bot.ProviderKeys, error)
	PreviousKeys(ctx context.Context) (*bot.ProviderKeys, error)
	KeysByID(ctx context.Context, id string) (bot.ProviderKeys, error)
	ProposeKeys(ctx context.Context, keys bot.Keys, accountID *string, at time.Time) (bot.ProviderKeys, error)
	RollBackKeys(ctx context.Context, at time.Time) (bot.ProviderKeys, error)
}

// LetterBook is the outbox. *store.Store implements it.
type LetterBook interface {
	DeadLetters(ctx context.Context, limit int) ([]letter.Letter, error)
	ReviveLetter(ctx context.Context, id string, at time.Time) (letter.Letter, error)
}

// AuditBook keeps what founders did. *store.Store implements it.
type AuditBook interface {
	Audit(ctx context.Context, e audit.Entry) error
	AuditEntries(ctx context.Context, limit, offset int) ([]audit.Entry, int, error)
}

// Marker makes keyed digests. *keyring.Ring implements it.
type Marker interface {
	Mark(value, place string) string
	Marked(mark, value, place string) bool
}

// Runs starts flows and gives them orders. *workflows.Client implements it.
type Runs interface {
	PostRuns
	SendLetter(ctx context.Context, letterID string) error
	BeginXLogin(ctx context.Context, loginID string) error
	FinishXLogin(ctx context.Context, loginID string) error
	Diagnose(ctx context.Context, diagnosisID string) (runID string, err error)
	TryConnection(ctx context.Context, connectionID string) error
	ReplaceKeys(ctx context.Context, providerKeyID string) error
}

// PostRuns starts the flows of posts and gives them orders.
type PostRuns interface {
	StartPost(ctx context.Context, p post.Post) (runID string, err error)
	EditPost(ctx context.Context, p post.Post, o workflows.EditOrder) error
	ReschedulePost(ctx context.Context, p post.Post, o workflows.RescheduleOrder) error
	CancelPost(ctx context.Context, p post.Post) error
	RetryPost(ctx context.Context, p post.Post) error
}

// Setting is a secret of the configuration, and whether it is set.
type Setting struct {
	Name string
	Set  bool
}

// Environment says in a word where this runs.
func (s Site) Environment() string {
	if s.Local {
		return "laptop"
	}
	return "production"
}
