// Package auth logs users in and out, and diagnoses logging in with X.
package auth

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/diagnostic"
)

// API answers every operation of this feature.
type API struct {
	Accounts  AccountStore
	Consent   func(requestToken string) string
	DevLogin  bool
	Diagnoses DiagnosisStore
	Founders  account.Founders
	Logins    LoginStore
	Marks     httpapi.Marker
	Now       func() time.Time
	Runs      Runs
	Site      httpapi.Site
}

// AccountStore keeps who can log in, and who is. *store.Accounts implements it.
type AccountStore interface {
	AccountByEmail(ctx context.Context, email string) (*account.Account, error)
	AccountByName(ctx context.Context, name string) (*account.Account, error)
	EndSession(ctx context.Context, accountID, id string) error
	IssueCode(ctx context.Context, n account.NewCode, at time.Time) (emailID string, err error)
	OpenSession(ctx context.Context, n account.NewSession, at time.Time) (account.Session, error)
	RedeemActivationLink(ctx context.Context, token string, n account.NewSession, at time.Time) (account.Session, error)
	RedeemLogin(ctx context.Context, g account.Guess, n account.NewSession, at time.Time) (account.Session, error)
	XAccount(ctx context.Context, userID, handle string, at time.Time) (account.Account, error)
}

// DiagnosisStore keeps what the diagnostic finds. *store.Diagnoses implements it.
type DiagnosisStore interface {
	BeginDiagnosis(ctx context.Context, d diagnostic.Run) error
	Diagnosis(ctx context.Context, id string) (diagnostic.Run, error)
	LatestDiagnosis(ctx context.Context, visitor string, since time.Time) (diagnostic.Run, error)
}

// LoginStore keeps logins with X under way. *store.Accounts implements it.
type LoginStore interface {
	BeginXLogin(ctx context.Context, l account.XLogin, visitor string) error
	BringXLoginBack(ctx context.Context, r account.Returned, at time.Time) (account.XLogin, error)
	RequestToken(ctx context.Context, loginID string) (account.RequestToken, error)
	XLogin(ctx context.Context, id string) (account.XLogin, error)
}

// Runs starts flows and gives them orders. *client.Client implements it.
type Runs interface {
	BeginXLogin(ctx context.Context, loginID string) error
	StartDiagnosis(ctx context.Context, diagnosisID string) (runID string, err error)
	FinishXLogin(ctx context.Context, loginID string) error
	SendEmail(ctx context.Context, emailID string) error
}
