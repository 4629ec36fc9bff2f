package journeys_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/problem"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/workflows"
)

// visit is somebody's login with X, as their browser sees it.
type visit struct {
	id      string
	browser string // what its cookie says
	token   string // of the request: the address of X's consent page has it
}

// leave begins a login and sends the browser away, as the API does.
func (w *world) leave(t *testing.T) visit {
	t.Helper()
	v := w.knock(t)
	l := w.login(t, v)
	require.Equal(t, account.Away, l.State, "%s %s", l.Outcome, l.Detail)
	kept, err := w.db.Accounts.RequestToken(t.Context(), v.id)
	require.NoError(t, err)
	w.plant(kept.Token, kept.Secret)
	v.token = kept.Token
	return v
}

// knock begins a login, wherever that leads.
func (w *world) knock(t *testing.T) visit {
	t.Helper()
	v := visit{id: xid.New().String(), browser: account.NewToken()}
	w.plant(v.browser)
	now := time.Now()
	require.NoError(t, w.db.Accounts.BeginXLogin(t.Context(), account.XLogin{
		ID: v.id, BrowserHash: account.Hash(v.browser), Next: "/experiments", Device: "Firefox on Linux",
		State: account.Asking, CreatedAt: now, ExpiresAt: now.Add(account.XLoginLife),
	}, "visitor"))
	require.NoError(t, w.runs.BeginXLogin(t.Context(), v.id))
	return v
}

func (w *world) login(t *testing.T, v visit) account.XLogin {
	t.Helper()
	l, err := w.db.Accounts.XLogin(t.Context(), v.id)
	require.NoError(t, err)
	return l
}

// decide is a person on X's consent page. It brings the browser back with the answer.
func (w *world) decide(t *testing.T, v visit, who xsandbox.Account, decision string) {
	t.Helper()
	form := url.Values{"oauth_token": {v.token}, "account": {who.ID}, "decision": {decision}}
	page, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.xURL+"/oauth/authorize", strings.NewReader(form.Encode()))
	require.NoError(t, err)
	page.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultTransport.RoundTrip(page) // follows no redirect
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusFound, response.StatusCode)
	back, err := response.Location()
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(back.String(), callback+"?"), "the browser goes where it came from")

	returned := account.Returned{Token: v.token, BrowserHash: account.Hash(v.browser), Verifier: back.Query().Get("oauth_verifier")}
	if returned.Verifier != "" {
		w.plant(returned.Verifier)
	}
	_, err = w.db.Accounts.BringXLoginBack(t.Context(), returned, time.Now())
	require.NoError(t, err)
}

// arrives ends the login, and sees that its run tells the same as the row.
func (w *world) arrives(t *testing.T, v visit) account.XLogin {
	t.Helper()
	require.NoError(t, w.runs.FinishXLogin(t.Context(), v.id))
	return w.over(t, v)
}

func (w *world) over(t *testing.T, v visit) account.XLogin {
	t.Helper()
	var result workflows.XLoginResult
	require.NoError(t, w.temporal.GetWorkflow(t.Context(), workflows.XLoginID(v.id), "").Get(t.Context(), &result))
	l := w.login(t, v)
	require.Equal(t, account.Ended, l.State)
	require.Equal(t, workflows.XLoginResult{Outcome: l.Outcome, Detail: l.Detail}, result)
	require.Equal(t, l.Outcome == account.LoggedIn, l.AccountID != nil)
	require.Nil(t, l.SecretID)
	return l
}

func founderLogsIn(t *testing.T, w *world) string {
	v := w.leave(t)
	w.decide(t, v, founder, "allow")
	l := w.arrives(t, v)
	require.Equal(t, account.LoggedIn, l.Outcome)
	require.Equal(t, w.grace.account.ID, *l.AccountID)
	granted := w.tokensOf(t, founder)
	w.plant(granted.AccessToken, granted.AccessSecret) // X gave them with the answer; nobody here wants them

	require.Equal(t, problem.Conflict, codeOf(w.runs.FinishXLogin(t.Context(), v.id)), "a login ends once")
	return workflows.XLoginID(v.id)
}

func personSaysNo(t *testing.T, w *world) string {
	v := w.leave(t)
	w.decide(t, v, founder, "cancel")
	require.Equal(t, account.Denied, w.arrives(t, v).Outcome)
	return workflows.XLoginID(v.id)
}

func TestLoginsWithXThatLeadNowhere(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		for name, tt := range map[string]struct {
			who     xsandbox.Account
			fault   xsandbox.Rule
			leaves  bool
			outcome account.Outcome
			detail  string
		}{
			"somebody else":               {who: stranger, leaves: true, outcome: account.Unauthorized},
			"X is down at the beginning":  {fault: xsandbox.Rule{On: xsandbox.OnRequestToken, Fault: xsandbox.Unavailable}, outcome: account.XDown, detail: "http_503"},
			"X hangs up at the beginning": {fault: xsandbox.Rule{On: xsandbox.OnRequestToken, Fault: xsandbox.DropBefore}, outcome: account.XDown, detail: "no_answer"},
			"X refuses the app":           {fault: xsandbox.Rule{On: xsandbox.OnLogin, Fault: xsandbox.BadApp}, outcome: account.XRefused, detail: "http_401"},
			"X shows a web page":          {fault: xsandbox.Rule{On: xsandbox.OnRequestToken, Fault: xsandbox.Garbage}, outcome: account.InvalidResponse},
			"X forgets the callback":      {fault: xsandbox.Rule{On: xsandbox.OnRequestToken, Fault: xsandbox.Unconfirmed}, outcome: account.InvalidResponse},
			"X refuses the exchange":      {who: founder, leaves: true, fault: xsandbox.Rule{On: xsandbox.OnAccessToken, Fault: xsandbox.Unauthorized}, outcome: account.AccessTokenFailed, detail: "http_401"},
			"X is down at the exchange":   {who: founder, leaves: true, fault: xsandbox.Rule{On: xsandbox.OnAccessToken, Fault: xsandbox.Unavailable}, outcome: account.XDown, detail: "http_503"},
			"X answers half at the end":   {who: founder, leaves: true, fault: xsandbox.Rule{On: xsandbox.OnAccessToken, Fault: xsandbox.Garbage}, outcome: account.InvalidResponse},
		} {
			w.misbehave(t)
			if tt.fault.Fault != "" {
				w.misbehave(t, tt.fault)
			}
			var l account.XLogin
			if tt.leaves {
				v := w.leave(t)
				w.decide(t, v, tt.who, "allow")
				l = w.arrives(t, v)
			} else {
				l = w.over(t, w.knock(t))
			}
			require.Equal(t, tt.outcome, l.Outcome, name)
			require.Equal(t, tt.detail, l.Detail, name)
		}
	})
}

// The token lies in the database, so the worker that ends a login need not be the one that
// began it.
func TestALoginOutlivesTheWorkerThatBeganIt(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		v := w.leave(t)
		w.stopWorker()
		w.decide(t, v, founder, "allow")
		finished := make(chan error, 1)
		go func() { finished <- w.runs.FinishXLogin(t.Context(), v.id) }()
		require.Equal(t, account.Back, w.login(t, v).State)
		w.startWorker(t)
		require.NoError(t, <-finished)
		require.Equal(t, account.LoggedIn, w.over(t, v).Outcome)
	})
}

// A browser may ask for the same page twice at once.
func TestALoginIsBegunOnce(t *testing.T) {
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		v := w.leave(t)
		require.NoError(t, w.runs.BeginXLogin(t.Context(), v.id))
		kept, err := w.db.Accounts.RequestToken(t.Context(), v.id)
		require.NoError(t, err)
		require.Equal(t, v.token, kept.Token)
	})
}
