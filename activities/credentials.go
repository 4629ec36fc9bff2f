package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/audit"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// Credentials holds the activities that change the bot's connection and keys.
type Credentials struct {
	Store     CredentialStore
	Diagnoses KeyDiagnoses
	Audits    Auditor
	Posts     DuePosts
	X         TokenOwners
	Runs      PostWaker
	Now       func() time.Time
}

// CredentialStore stores connections and keys. *store.Bot implements it.
type CredentialStore interface {
	ConnectionTokens(ctx context.Context, id string) (bot.Connection, bot.Tokens, error)
	Connect(ctx context.Context, id, userID, username, runID string, at time.Time) (bot.Connection, error)
	RefuseConnection(ctx context.Context, id, code, reason, runID string, at time.Time) (bot.Connection, error)
	KeysOf(ctx context.Context, id string) (bot.ProviderKeys, bot.Keys, error)
	ReplaceKeys(ctx context.Context, id, runID string, at time.Time) (bot.ProviderKeys, error)
	RefuseKeys(ctx context.Context, id, code, reason, runID string) (bot.ProviderKeys, error)
	DropKeys(ctx context.Context, at time.Time) error
}

// KeyDiagnoses stores the diagnoses that test keys. *store.Diagnoses implements it.
type KeyDiagnoses interface {
	BeginDiagnosis(ctx context.Context, d diagnostic.Run, asker account.Asker) error
	Diagnosis(ctx context.Context, id string) (diagnostic.Run, error)
}

// Auditor stores audit entries. *store.AuditLog implements it.
type Auditor interface {
	Audit(ctx context.Context, e audit.Entry) error
}

// DuePosts lists the scheduled posts that are due. *store.Posts implements it.
type DuePosts interface {
	DuePosts(ctx context.Context, now time.Time) ([]post.Post, error)
}

// TokenOwners identifies the X user of tokens. Its errors are *post.XError.
type TokenOwners interface {
	Owner(ctx context.Context, tokens bot.Tokens) (account.XUser, error)
}

// PostWaker signals a post's run to check its row again. *client.Client implements it.
type PostWaker interface {
	WakePost(ctx context.Context, p post.Post) error
}

type ConnectionRef struct {
	ConnectionID string
	Interrupted  bool `json:",omitempty"` // an earlier run has ended by force, so this one refuses the tokens
}

// ConnectionState is what the workflow needs to know of a connection.
type ConnectionState struct {
	State bot.State
	Code  string
}

func connectionState(c bot.Connection, err error) (ConnectionState, error) {
	return ConnectionState{State: c.State, Code: c.Code}, err
}

func runOf(ctx context.Context) string { return activity.GetInfo(ctx).WorkflowExecution.RunID }

// TryConnection reads from X whose tokens these are, and connects the bot with them. Safe to repeat: the
// read changes nothing, and a connection is decided once.
func (a *Credentials) TryConnection(ctx context.Context, in ConnectionRef) (ConnectionState, error) {
	c, tokens, err := a.Store.ConnectionTokens(ctx, in.ConnectionID)
	if err != nil || c.State != bot.Candidate {
		return connectionState(c, err)
	}
	owner, err := a.X.Owner(ctx, tokens)
	if refused, ok := errors.AsType[*post.XError](err); ok && (refused.Class == post.AccountRefused || refused.Class == post.Refused) {
		return connectionState(a.Store.RefuseConnection(ctx, c.ID, refused.Code, refusedTokens(refused), runOf(ctx), a.Now()))
	}
	if err != nil {
		return ConnectionState{}, asXFailure(err, a.Now())
	}
	c, err = a.Store.Connect(ctx, c.ID, owner.ID, owner.Handle, runOf(ctx), a.Now())
	if p, ok := errors.AsType[*problem.Error](err); ok {
		return connectionState(a.Store.RefuseConnection(ctx, in.ConnectionID, string(p.Code), p.Message, runOf(ctx), a.Now()))
	}
	return connectionState(c, err)
}

// refusedTokens words a refusal for newly entered tokens, not for those in use.
func refusedTokens(refused *post.XError) string {
	if refused.Code == "x_bad_token" {
		return "X rejected these tokens with this app's keys. Copy both completely, or create a new access token " +
			"and secret on the app's Keys and tokens page in X's developer console."
	}
	return refused.Message
}

// GiveUpConnection rejects tokens that X could not verify. Safe to repeat.
func (a *Credentials) GiveUpConnection(ctx context.Context, in ConnectionRef) (ConnectionState, error) {
	if in.Interrupted {
		return connectionState(a.Store.RefuseConnection(ctx, in.ConnectionID, "interrupted",
			"The test was interrupted, so these tokens were not saved. Submit them again.", runOf(ctx), a.Now()))
	}
	return connectionState(a.Store.RefuseConnection(ctx, in.ConnectionID, "x_unreachable",
		"X did not respond, so these tokens were not saved. Try again in a moment.", runOf(ctx), a.Now()))
}

// WakePosts signals the posts that waited for the connection. Safe to repeat.
func (a *Credentials) WakePosts(ctx context.Context, _ NoInput) (Done, error) {
	waiting, err := a.Posts.DuePosts(ctx, a.Now())
	if err != nil {
		return Done{}, err
	}
	for _, p := range waiting {
		if err := a.Runs.WakePost(ctx, p); err != nil {
			return Done{}, err
		}
	}
	return Done{}, nil
}

type ProviderKeysRef struct {
	ProviderKeyID string
	Interrupted   bool `json:",omitempty"` // an earlier run has ended by force, so this one refuses the keys
}

// ProviderKeysState is what the workflow needs to know of the app's keys.
type ProviderKeysState struct {
	State bot.KeyState
	Code  string
}

type OpenDiagnosisResult struct{ DiagnosisID string }

// OpenDiagnosis stores a diagnosis that tests the keys. Its ID is derived from the keys, so that a
// repeat finds the first.
func (a *Credentials) OpenDiagnosis(ctx context.Context, in ProviderKeysRef) (OpenDiagnosisResult, error) {
	id := "keys-" + in.ProviderKeyID
	if _, err := a.Diagnoses.Diagnosis(ctx, id); err == nil {
		return OpenDiagnosisResult{id}, nil
	}
	err := a.Diagnoses.BeginDiagnosis(ctx, diagnostic.Run{ID: id, ProviderKeyID: &in.ProviderKeyID, CreatedAt: a.Now()}, account.Asker{})
	return OpenDiagnosisResult{id}, err
}

type DecideKeysInput struct {
	ProviderKeyID string
	OK            bool
	Code          string
}

// DecideKeys activates or rejects the keys, and adds an audit entry. Safe to repeat.
func (a *Credentials) DecideKeys(ctx context.Context, in DecideKeysInput) (ProviderKeysState, error) {
	keys, err := a.decideKeys(ctx, in)
	if err != nil {
		return ProviderKeysState{}, err
	}
	entry := audit.Entry{
		ID: "keys-" + keys.ID, At: a.Now(), AccountID: keys.AccountID, Actor: "the diagnostic", Action: audit.ReplaceProviderKeys,
		Outcome: audit.Done, Detail: "Keys " + keys.Fingerprint + " are in use.",
		WorkflowID: activity.GetInfo(ctx).WorkflowExecution.ID, RunID: runOf(ctx),
	}
	if keys.State == bot.KeysRefused {
		entry.Outcome, entry.Detail = audit.Refused, "Keys "+keys.Fingerprint+" were refused: "+keys.Reason
	}
	return ProviderKeysState{State: keys.State, Code: keys.Code}, a.Audits.Audit(ctx, entry)
}

func (a *Credentials) decideKeys(ctx context.Context, in DecideKeysInput) (bot.ProviderKeys, error) {
	if in.OK {
		return a.Store.ReplaceKeys(ctx, in.ProviderKeyID, runOf(ctx), a.Now())
	}
	reason := "The diagnostic was interrupted or could not run, so the keys were not changed. Try again in a moment."
	if run, err := a.Diagnoses.Diagnosis(ctx, "keys-"+in.ProviderKeyID); err == nil {
		for _, f := range run.Findings {
			if !f.OK {
				reason = f.Problem + " " + f.Remedy
			}
		}
	}
	return a.Store.RefuseKeys(ctx, in.ProviderKeyID, in.Code, reason, runOf(ctx))
}

// DropKeys deletes replaced keys after a day. Safe to repeat.
func (a *Credentials) DropKeys(ctx context.Context, _ NoInput) (Done, error) {
	return Done{}, a.Store.DropKeys(ctx, a.Now())
}
