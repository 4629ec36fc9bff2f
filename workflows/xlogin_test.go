package workflows_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/activities"
	"customerzero/internal/domain/account"
	"customerzero/workflows"
)

// loginApp is a fake X to log in with.
type loginApp struct {
	asked, toldWho  error
	user            account.XUser
	asks, exchanges int
	secret          account.RequestToken // of the last exchange
}

func (a *loginApp) LoginApp(context.Context) (activities.LoginApp, error) { return a, nil }

func (a *loginApp) RequestToken(context.Context, string) (account.RequestToken, error) {
	a.asks++
	return account.RequestToken{Token: "request-token", Secret: "token secret"}, a.asked
}

func (a *loginApp) Identify(_ context.Context, t account.RequestToken, _ string) (account.XUser, error) {
	a.exchanges++
	a.secret = t
	return a.user, a.toldWho
}

var (
	xIsDown     = &account.XError{Trouble: account.TroubleDown, Status: 503, Message: "it answered 503"}
	xIsAway     = &account.XError{Trouble: account.TroubleDown, Message: "the connection was refused"}
	xSaysNo     = &account.XError{Trouble: account.TroubleRefused, Status: 401, Message: "Could not authenticate you."}
	xIsNonsense = &account.XError{Trouble: account.TroubleNonsense, Status: 200, Message: "its answer is no form"}
	grace       = account.XUser{ID: "7", Handle: "Grace"}
)

// login is a login and its surroundings.
type login struct {
	*stage
	x     *loginApp
	left  *reply // reply to the redirect
	back  *reply // reply to the return
	row   account.XLogin
	again func() // also called at the return
}

func newLogin(t *testing.T, x loginApp) *login {
	t.Helper()
	l := &login{stage: newStage(t), x: &x, again: func() {}}
	l.row = account.XLogin{
		ID: "l1", BrowserHash: account.Hash("her browser"), State: account.RequestingToken,
		CreatedAt: begin, ExpiresAt: begin.Add(account.XLoginLife),
	}
	require.NoError(t, l.db.Accounts.BeginXLogin(t.Context(), l.row, account.Asker{}))
	l.env.RegisterActivity(&activities.XLogin{
		Logins: l.db.Accounts, X: l.x, Founders: account.ParseFounders([]string{"grace", "barbara"}),
		Callback: "https://zero.example/auth/x/callback", Now: l.env.Now,
	})
	return l
}

// returns brings the browser back, with or without X's verifier, and updates the run.
func (l *login) returns(t *testing.T, verifier string) func() {
	return func() {
		must(l.db.Accounts.BringXLoginBack(t.Context(), account.Returned{
			Token: "request-token", BrowserHash: account.Hash("her browser"), Verifier: verifier,
		}, l.env.Now()))
		l.back = l.order(workflows.UpdateComplete)
		l.again()
	}
}

func (l *login) run(t *testing.T) workflows.XLoginResult {
	t.Helper()
	l.after(0, func() { l.left = l.order(workflows.UpdateAuthorize) })
	result := run[workflows.XLoginResult](t, l.env, workflows.XLogin, workflows.XLoginInput{LoginID: l.row.ID})
	l.row = must(l.db.Accounts.XLogin(t.Context(), l.row.ID))
	require.Equal(t, account.Ended, l.row.State)
	require.Equal(t, workflows.XLoginResult{Outcome: l.row.Outcome, Detail: l.row.Detail}, result, "the row and the run tell the same")
	require.Nil(t, l.row.SecretID, "nothing is kept that was only for the way")
	return result
}

func TestXLoginBeforeRedirect(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		asked   error
		network network
		outcome account.Outcome
		detail  string
	}{
		"X is down":                              {asked: xIsDown, outcome: account.XDown, detail: "http_503"},
		"X is not reached":                       {asked: xIsAway, outcome: account.XDown, detail: "no_answer"},
		"X sends an invalid answer":              {asked: xIsNonsense, outcome: account.InvalidResponse},
		"X refuses our app":                      {asked: xSaysNo, outcome: account.XRefused, detail: "http_401"},
		"an internal error":                      {asked: errors.New("disk full"), outcome: account.ServerError},
		"the worker is lost before the call":     {network: network{loses: "RequestXToken", asks: true}, outcome: account.ServerError},
		"the worker is lost after the call":      {network: network{loses: "RequestXToken"}, outcome: account.ServerError},
		"it is lost, and stores the end late":    {network: network{loses: "RequestXToken", asks: true, times: 1}, outcome: account.ServerError},
		"the end is stored twice":                {asked: errors.New("disk full"), network: network{loses: "EndXLogin", times: 2}, outcome: account.ServerError},
		"the end is stored late after a refusal": {asked: xSaysNo, network: network{loses: "EndXLogin", times: 2}, outcome: account.XRefused, detail: "http_401"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLogin(t, loginApp{asked: tt.asked})
			*l.network = tt.network
			require.Equal(t, workflows.XLoginResult{Outcome: tt.outcome, Detail: tt.detail}, l.run(t))
			require.LessOrEqual(t, l.x.asks, 1, "a person waits, so there is one try")
			require.Equal(t, activities.XLoginState{State: account.Ended, Outcome: tt.outcome, Detail: tt.detail}, l.left.answer)
		})
	}
}

func TestXLoginAfterReturn(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		x        loginApp
		verifier string
		before   func(t *testing.T, l *login)
		network  network
		outcome  account.Outcome
		detail   string
		account  bool
	}{
		"a founder: logged in":                                  {x: loginApp{user: grace}, verifier: "v", outcome: account.LoggedIn, account: true},
		"another user: unauthorized":                            {x: loginApp{user: account.XUser{ID: "8", Handle: "stranger"}}, verifier: "v", outcome: account.Unauthorized, detail: "handle:stranger"},
		"a founder's handle with another account: unauthorized": {x: loginApp{user: account.XUser{ID: "9", Handle: "grace"}}, verifier: "v", before: graceIsKnown, outcome: account.Unauthorized, detail: "handle_moved"},
		"a founder with an account: logged in":                  {x: loginApp{user: grace}, verifier: "v", before: graceIsKnown, outcome: account.LoggedIn, account: true},
		"denied by the user":                                    {verifier: "", outcome: account.Denied},
		"X refuses the exchange":                                {x: loginApp{toldWho: xSaysNo}, verifier: "v", outcome: account.AccessTokenFailed, detail: "http_401"},
		"X is down":                                             {x: loginApp{toldWho: xIsDown}, verifier: "v", outcome: account.XDown, detail: "http_503"},
		"X is not reached":                                      {x: loginApp{toldWho: xIsAway}, verifier: "v", outcome: account.XDown, detail: "no_answer"},
		"X sends an invalid answer":                             {x: loginApp{toldWho: xIsNonsense}, verifier: "v", outcome: account.InvalidResponse},
		"an internal error":                                     {x: loginApp{toldWho: errors.New("disk full")}, verifier: "v", outcome: account.ServerError},
		"the worker is lost before the call":                    {x: loginApp{user: grace}, verifier: "v", network: network{loses: "FinishXLogin", asks: true}, outcome: account.ServerError},
		"the worker is lost after a login":                      {x: loginApp{user: grace}, verifier: "v", network: network{loses: "FinishXLogin"}, outcome: account.LoggedIn, account: true},
		"the worker is lost after a refusal":                    {x: loginApp{user: account.XUser{ID: "8", Handle: "stranger"}}, verifier: "v", network: network{loses: "FinishXLogin"}, outcome: account.Unauthorized, detail: "handle:stranger"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLogin(t, tt.x)
			if tt.before != nil {
				tt.before(t, l)
			}
			*l.network = tt.network
			l.after(time.Minute, l.returns(t, tt.verifier))
			require.Equal(t, workflows.XLoginResult{Outcome: tt.outcome, Detail: tt.detail}, l.run(t))
			require.Equal(t, activities.XLoginState{State: account.Redirected}, l.left.answer)
			require.Equal(t, activities.XLoginState{State: account.Ended, Outcome: tt.outcome, Detail: tt.detail}, l.back.answer)
			require.LessOrEqual(t, l.x.exchanges, 1, "a verifier is good for one exchange")
			require.Equal(t, tt.account, l.row.AccountID != nil)
			if l.x.exchanges > 0 {
				require.Equal(t, account.RequestToken{Token: "request-token", Secret: "token secret", Verifier: tt.verifier}, l.x.secret)
			}
		})
	}
}

// graceIsKnown binds the handle of a founder to an ID.
func graceIsKnown(t *testing.T, l *login) {
	must(l.db.Accounts.XAccount(t.Context(), grace.ID, grace.Handle, begin))
}

// Proves: V10.1.2
func TestXLoginWaitsForTheBrowserThatLeft(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		back      time.Duration // when the browser returns; never if 0
		claims    time.Duration // when an operator sends the update; never if 0
		twice     bool          // the browser sends its request twice
		outcome   account.Outcome
		exchanges int
	}{
		"it does not return: expired":                           {outcome: account.ExpiredToken},
		"it returns at the last moment: logged in":              {back: account.XLoginLife - time.Second, outcome: account.LoggedIn, exchanges: 1},
		"it returns twice: one login":                           {back: time.Minute, twice: true, outcome: account.LoggedIn, exchanges: 1},
		"an operator's update is too early, it returns later":   {back: 2 * time.Minute, claims: time.Minute, outcome: account.LoggedIn, exchanges: 1},
		"an operator's update, and it does not return: expired": {claims: time.Minute, outcome: account.ExpiredToken},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLogin(t, loginApp{user: grace})
			var replies []*reply
			claims := func() { replies = append(replies, l.order(workflows.UpdateComplete)) }
			if c.claims > 0 {
				l.after(c.claims, claims)
			}
			if c.twice {
				l.again = claims
			}
			if c.back > 0 {
				l.after(c.back, l.returns(t, "v"))
			}
			require.Equal(t, workflows.XLoginResult{Outcome: c.outcome}, l.run(t))
			require.Equal(t, c.exchanges, l.x.exchanges)
			if c.back == 0 {
				require.Equal(t, account.XLoginLife, l.env.Now().Sub(begin))
			}
			for _, r := range replies {
				require.Equal(t, activities.XLoginState{State: account.Ended, Outcome: c.outcome}, r.answer)
			}
		})
	}
}
