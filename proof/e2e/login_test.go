package e2e

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

// TestIdentityEndings ends one run of each workflow of e-mails, logins and X credentials.
func TestIdentityEndings(t *testing.T) {
	runEndings(t, map[string]ending{
		"an e-mail while the mail server is down: sent later": {"email-sent", longSend, sentLate},
		"a founder logs in with X":                            {"x-login-founder", longSend, founderLogsIn},
		"the diagnostic of a working setup":                   {"diagnosis-ok", longSend, soundSetup},
		"the bot's tokens become current":                     {"credentials-current", longSend, connected},
		"valid app keys become current":                       {"provider-keys-current", longSend, newKeys},
	})
}

type visit struct {
	id      string
	browser string // value of the cookie
	token   string // request token in the URL of X's consent page
}

// leave starts a login, as the API does before it redirects the browser.
func (w *world) leave(t *testing.T) visit {
	v := visit{id: xid.New().String(), browser: account.NewToken()}
	w.plant(v.browser)
	now := time.Now()
	require.NoError(t, w.db.Accounts.BeginXLogin(t.Context(), account.XLogin{
		ID: v.id, BrowserHash: account.Hash(v.browser), Next: "/experiments", Device: "Firefox on Linux",
		State: account.RequestingToken, CreatedAt: now, ExpiresAt: now.Add(account.XLoginLife),
	}, account.Asker{}))
	require.NoError(t, w.runs.BeginXLogin(t.Context(), v.id))
	l := w.login(t, v)
	require.Equal(t, account.Redirected, l.State, "%s %s", l.Outcome, l.Detail)
	kept := fetch(t, w.db.Accounts.RequestToken, v.id)
	w.plant(kept.Token, kept.Secret)
	v.token = kept.Token
	return v
}

func (w *world) login(t *testing.T, v visit) account.XLogin {
	return fetch(t, w.db.Accounts.XLogin, v.id)
}

// allows gives the founder's consent on X's page and follows the redirect back.
func (w *world) allows(t *testing.T, v visit) {
	form := url.Values{"oauth_token": {v.token}, "account": {founder.ID}, "decision": {"allow"}}
	page, err := http.NewRequestWithContext(t.Context(), http.MethodPost, w.xURL+"/oauth/authorize", strings.NewReader(form.Encode()))
	require.NoError(t, err)
	page.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	response, err := http.DefaultTransport.RoundTrip(page) // follows no redirect
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	require.Equal(t, http.StatusFound, response.StatusCode)
	back, err := response.Location()
	require.NoError(t, err)
	require.True(t, strings.HasPrefix(back.String(), callback+"?"), "X redirects to the callback")

	returned := account.Returned{Token: v.token, BrowserHash: account.Hash(v.browser), Verifier: back.Query().Get("oauth_verifier")}
	w.plant(returned.Verifier)
	_, err = w.db.Accounts.BringXLoginBack(t.Context(), returned, time.Now())
	require.NoError(t, err)
}

// isIn verifies that the founder is logged in and that the run's result equals the row.
func (w *world) isIn(t *testing.T, v visit) {
	result := resultOf[workflows.XLoginResult](t, w, workflows.XLoginID(v.id))
	l := w.login(t, v)
	require.Equal(t, account.Ended, l.State)
	require.Equal(t, workflows.XLoginResult{Outcome: account.LoggedIn}, result)
	require.Equal(t, account.LoggedIn, l.Outcome)
	require.Equal(t, w.grace.account.ID, *l.AccountID)
	require.Nil(t, l.SecretID)
}

func founderLogsIn(t *testing.T, w *world) string {
	v := w.leave(t)
	w.allows(t, v)
	require.NoError(t, w.runs.FinishXLogin(t.Context(), v.id))
	w.isIn(t, v)
	granted := w.tokensOf(t, founder)
	w.plant(granted.AccessToken, granted.AccessSecret) // X returned them, and the product must drop them

	require.Equal(t, problem.Conflict, codeOf(w.runs.FinishXLogin(t.Context(), v.id)), "a login ends once")
	return workflows.XLoginID(v.id)
}

// The token is in the database, so another worker can finish the login.
func TestLoginSurvivesItsWorker(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		v := w.leave(t)
		w.stopWorker()
		w.allows(t, v)
		finished := make(chan error, 1)
		go func() { finished <- w.runs.FinishXLogin(t.Context(), v.id) }()
		require.Equal(t, account.Verifying, w.login(t, v).State)
		w.startWorker(t)
		require.NoError(t, <-finished)
		w.isIn(t, v)
	})
}

// A browser may request the same page twice at once.
func TestLoginStartsOnce(t *testing.T) {
	each(t, longSend, func(t *testing.T, w *world) {
		v := w.leave(t)
		require.NoError(t, w.runs.BeginXLogin(t.Context(), v.id))
		kept := fetch(t, w.db.Accounts.RequestToken, v.id)
		require.Equal(t, v.token, kept.Token)
	})
}

func (w *world) diagnose(t *testing.T) (diagnostic.Run, workflows.OAuthDiagnosisResult) {
	run := diagnostic.Run{ID: xid.New().String(), CreatedAt: time.Now()}
	run.Visitor = "visitor of " + run.ID
	require.NoError(t, w.db.Diagnoses.BeginDiagnosis(t.Context(), run, account.Asker{}))
	runID, err := w.runs.StartDiagnosis(t.Context(), run.ID)
	require.NoError(t, err)
	var result workflows.OAuthDiagnosisResult
	require.NoError(t, w.temporal.GetWorkflow(t.Context(), workflows.OAuthDiagnosisID(run.ID), runID).Get(t.Context(), &result))
	run, err = w.db.Diagnoses.Diagnosis(t.Context(), run.ID)
	require.NoError(t, err)
	require.Equal(t, runID, run.RunID)
	require.NotNil(t, run.EndedAt)
	found, known := run.Of(result.Step)
	require.True(t, known)
	require.Equal(t, workflows.OAuthDiagnosisResult{OK: found.OK, Step: found.Step, Code: found.Code}, result)
	return run, result
}

func soundSetup(t *testing.T, w *world) string {
	run, result := w.diagnose(t)
	require.Equal(t, workflows.OAuthDiagnosisResult{OK: true, Step: diagnostic.StepAccount, Code: "ok"}, result)
	require.Len(t, run.Findings, 4)
	return workflows.OAuthDiagnosisID(run.ID)
}
