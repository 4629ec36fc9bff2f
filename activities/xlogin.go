package activities

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"go.temporal.io/sdk/activity"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
)

// XLogin holds the activities of logins with X.
type XLogin struct {
	Logins   XLoginStore
	X        LoginApps
	Founders account.Founders
	Callback string // URL to which X redirects
	Now      func() time.Time
}

// XLoginStore stores logins and accounts. *store.Accounts implements it.
type XLoginStore interface {
	XLogin(ctx context.Context, id string) (account.XLogin, error)
	RequestToken(ctx context.Context, loginID string) (account.RequestToken, error)
	RedirectXLogin(ctx context.Context, id string, t account.RequestToken, runID string) (account.XLogin, error)
	EndXLogin(ctx context.Context, id string, outcome account.Outcome, detail string, accountID *string) (account.XLogin, error)
	XAccount(ctx context.Context, userID, handle string, at time.Time) (account.Account, error)
	SetAvatar(ctx context.Context, accountID, picture string) error
}

// LoginApps returns the app at X with its current keys.
type LoginApps interface {
	LoginApp(ctx context.Context) (LoginApp, error)
}

// LoginApp is the app that users log in through. Its errors are *account.XError.
type LoginApp interface {
	RequestToken(ctx context.Context, callback string) (account.RequestToken, error)
	Identify(ctx context.Context, t account.RequestToken, verifier string) (account.XUser, error)
}

type XLoginRef struct {
	LoginID     string
	Interrupted bool `json:",omitempty"` // an earlier run has ended by force, so this one ends the login
}

// XLoginState is what the workflow needs to know of a login. Tokens and names stay in the database.
type XLoginState struct {
	State   account.XLoginState
	Outcome account.Outcome
	Detail  string
}

func loginState(l account.XLogin, err error) (XLoginState, error) {
	return XLoginState{State: l.State, Outcome: l.Outcome, Detail: l.Detail}, err
}

// RequestXToken gets the request token with which the user is redirected to X. A repeat keeps the first
// token.
func (a *XLogin) RequestXToken(ctx context.Context, in XLoginRef) (XLoginState, error) {
	app, err := a.X.LoginApp(ctx)
	if err != nil {
		return XLoginState{}, err
	}
	token, err := app.RequestToken(ctx, a.Callback)
	if err != nil {
		return a.end(ctx, in.LoginID, account.XRefused, err)
	}
	return loginState(a.Logins.RedirectXLogin(ctx, in.LoginID, token, activity.GetInfo(ctx).WorkflowExecution.RunID))
}

// FinishXLogin verifies with X who has returned, and logs in founders only. It is tried once, because a
// verifier is valid for one exchange.
func (a *XLogin) FinishXLogin(ctx context.Context, in XLoginRef) (XLoginState, error) {
	l, err := a.Logins.XLogin(ctx, in.LoginID)
	if err != nil || l.State != account.Verifying {
		return loginState(l, err)
	}
	token, err := a.Logins.RequestToken(ctx, in.LoginID)
	if err != nil {
		return XLoginState{}, err
	}
	app, err := a.X.LoginApp(ctx)
	if err != nil {
		return XLoginState{}, err
	}
	user, err := app.Identify(ctx, token, token.Verifier)
	if err != nil {
		return a.end(ctx, in.LoginID, account.AccessTokenFailed, err)
	}
	return a.admit(ctx, in.LoginID, user)
}

func (a *XLogin) admit(ctx context.Context, loginID string, user account.XUser) (XLoginState, error) {
	if !a.Founders.Include(user.Handle) {
		return loginState(a.Logins.EndXLogin(ctx, loginID, account.Unauthorized, "handle:"+user.Handle, nil))
	}
	founder, err := a.Logins.XAccount(ctx, user.ID, user.Handle, a.Now())
	if problem.CodeOf(err) == problem.Forbidden && err != nil {
		slog.WarnContext(ctx, "refused a login: the founder's handle belongs to another X account", "login_id", loginID)
		return loginState(a.Logins.EndXLogin(ctx, loginID, account.Unauthorized, "handle_moved", nil))
	}
	if err == nil {
		err = a.Logins.SetAvatar(ctx, founder.ID, user.Avatar)
	}
	if err != nil {
		return XLoginState{}, err
	}
	return loginState(a.Logins.EndXLogin(ctx, loginID, account.LoggedIn, "", &founder.ID))
}

type EndXLoginInput struct {
	LoginID string
	Outcome account.Outcome
}

// EndXLogin ends a login without success. Safe to repeat.
func (a *XLogin) EndXLogin(ctx context.Context, in EndXLoginInput) (XLoginState, error) {
	return loginState(a.Logins.EndXLogin(ctx, in.LoginID, in.Outcome, "", nil))
}

// end ends a login after an error of X; refused is the outcome if X rejected it.
func (a *XLogin) end(ctx context.Context, loginID string, refused account.Outcome, err error) (XLoginState, error) {
	failed, ok := errors.AsType[*account.XError](err)
	if !ok {
		return XLoginState{}, err
	}
	outcome, detail := refused, statusWord(failed.Status)
	switch failed.Trouble {
	case account.TroubleDown:
		outcome = account.XDown
	case account.TroubleNonsense:
		outcome, detail = account.InvalidResponse, ""
	default:
	}
	return loginState(a.Logins.EndXLogin(ctx, loginID, outcome, detail, nil))
}

// statusWord is a detail for which the UI has a text.
func statusWord(status int) string {
	if status == 0 {
		return "no_answer"
	}
	return "http_" + strconv.Itoa(status)
}
