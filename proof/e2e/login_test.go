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

// TestIdentityEndings ends one run of each flow around who is who, and of what the bot posts with.
func TestIdentityEndings(t *testing.T) {
	tell(t, map[string]ending{
		"an email while the mail server is down: sent later":   {"email-sent", patient, sentLate},
		"a founder logs in with X: logged in":                  {"x-login-founder", patient, founderLogsIn},
		"the diagnostic of a setup that works: all is well":    {"diagnosis-ok", patient, soundSetup},
		"the bot's tokens: current":                            {"credentials-current", patient, connected},
		"keys of the app that work: current, for a day so far": {"provider-keys-current", patient, newKeys},
	})
}

// visit is somebody's login with X, as their browser sees it.
type visit struct {
	id      string
	browser string // what its cookie says
	token   string // of the request: the address of X's consent page has it
}

// leave begins a login and sends the browser away, as the API does.
func (w *world) leave(t *testing.T) visit {
	v := visit{id: xid.New().String(), browser: account.NewToken()}
	w.plant(v.browser)
	now := time.Now()
	require.NoError(t, w.db.Accounts.BeginXLogin(t.Context(), account.XLogin{
		ID: v.id, BrowserHash: account.Hash(v.browser), Next: "/experiments", Device: "Firefox on Linux",
		State: account.RequestingToken, CreatedAt: now, ExpiresAt: now.Add(account.XLoginLife),
	}, "visitor"))
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

// allows is the founder on X's consent page. It brings the browser back with the answer.
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
	require.True(t, strings.HasPrefix(back.String(), callback+"?"), "the browser goes where it came from")

	returned := account.Returned{Token: v.token, BrowserHash: account.Hash(v.browser), Verifier: back.Query().Get("oauth_verifier")}
	w.plant(returned.Verifier)
	_, err = w.db.Accounts.BringXLoginBack(t.Context(), returned, time.Now())
	require.NoError(t, err)
}

// isIn sees that the founder is logged in, and that the run tells the same as the row.
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
	w.plant(granted.AccessToken, granted.AccessSecret) // X gave them with the answer; nobody here wants them

	require.Equal(t, problem.Conflict, codeOf(w.runs.FinishXLogin(t.Context(), v.id)), "a login ends once")
	return workflows.XLoginID(v.id)
}

// The token lies in the database, so the worker that ends a login need not be the one that began it.
func TestALoginOutlivesTheWorkerThatBeganIt(t *testing.T) {
	each(t, patient, func(t *testing.T, w *world) {
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

// A browser may ask for the same page twice at once.
func TestALoginIsBegunOnce(t *testing.T) {
	each(t, patient, func(t *testing.T, w *world) {
		v := w.leave(t)
		require.NoError(t, w.runs.BeginXLogin(t.Context(), v.id))
		kept := fetch(t, w.db.Accounts.RequestToken, v.id)
		require.Equal(t, v.token, kept.Token)
	})
}

// diagnose lets the diagnostic find out, and sees that its run tells the same as its rows.
func (w *world) diagnose(t *testing.T) (diagnostic.Run, workflows.OAuthDiagnosisResult) {
	run := diagnostic.Run{ID: xid.New().String(), CreatedAt: time.Now()}
	run.Visitor = "visitor of " + run.ID
	require.NoError(t, w.db.Diagnoses.BeginDiagnosis(t.Context(), run))
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
