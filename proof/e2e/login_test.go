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
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/problem"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/workflows"
)

// TestIdentityEndings tells endings of the flows around who is who, and of what the bot posts with.
func TestIdentityEndings(t *testing.T) {
	tell(t, map[string]ending{
		"a letter while the mail server is down: sent later":   {"email-sent", patient, sentLate},
		"a letter that is refused for good: dead":              {"email-dead", patient, deadLetter},
		"a founder logs in with X: logged in":                  {"x-login-founder", patient, founderLogsIn},
		"a founder says no on X's page: denied":                {"x-login-denied", patient, personSaysNo},
		"the diagnostic of a setup that works: all is well":    {"diagnosis-ok", patient, soundSetup},
		"the diagnostic of a setup that does not: says so":     {"diagnosis-refused", patient, brokenSetup},
		"the bot's tokens: current":                            {"credentials-current", patient, connected},
		"tokens that X does not know: refused":                 {"credentials-refused", patient, refusedTokens},
		"keys of the app that X does not know: refused":        {"provider-keys-refused", patient, refusedKeys},
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
	v := w.knock(t)
	l := w.login(t, v)
	require.Equal(t, account.Away, l.State, "%s %s", l.Outcome, l.Detail)
	kept := fetch(t, w.db.Accounts.RequestToken, v.id)
	w.plant(kept.Token, kept.Secret)
	v.token = kept.Token
	return v
}

// knock begins a login, wherever that leads.
func (w *world) knock(t *testing.T) visit {
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
	return fetch(t, w.db.Accounts.XLogin, v.id)
}

// decide is a person on X's consent page. It brings the browser back with the answer.
func (w *world) decide(t *testing.T, v visit, who xsandbox.Account, decision string) {
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
	require.NoError(t, w.runs.FinishXLogin(t.Context(), v.id))
	return w.over(t, v)
}

func (w *world) over(t *testing.T, v visit) account.XLogin {
	result := resultOf[workflows.XLoginResult](t, w, workflows.XLoginID(v.id))
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

// The token lies in the database, so the worker that ends a login need not be the one that began it.
func TestALoginOutlivesTheWorkerThatBeganIt(t *testing.T) {
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

func brokenSetup(t *testing.T, w *world) string {
	w.misbehave(t, xsandbox.Rule{On: xsandbox.OnLogin, Fault: xsandbox.BadApp})
	run, result := w.diagnose(t)
	require.Equal(t, workflows.OAuthDiagnosisResult{Step: diagnostic.StepRequestToken, Code: "keys_refused"}, result)
	require.Len(t, run.Findings, 3)
	return workflows.OAuthDiagnosisID(run.ID)
}

// Steps by the names that the table is read best with.
const (
	env, token, acct = diagnostic.StepEnvironment, diagnostic.StepRequestToken, diagnostic.StepAccount
)

func TestTheDiagnosticNamesWhatIsWrongAtX(t *testing.T) {
	each(t, patient, func(t *testing.T, w *world) {
		for _, tt := range []struct {
			on     xsandbox.Target
			fault  xsandbox.Fault
			step   diagnostic.Step
			code   string
			remedy string // a part of it
		}{
			{xsandbox.OnAny, xsandbox.BadApp, token, "keys_refused", "Make a new API Key and Secret"},
			{xsandbox.OnAny, xsandbox.Clock, token, "clock_skew", "time synchronisation"},
			{xsandbox.OnAny, xsandbox.SuspendedApp, token, "app_suspended", "what X objects to"},
			{xsandbox.OnAny, xsandbox.CallbackRefused, token, "callback_refused", "Add the callback URL"},
			{xsandbox.OnAny, xsandbox.Unconfirmed, token, "unconfirmed", "Switch on OAuth 1.0a"},
			{xsandbox.OnAny, xsandbox.Unavailable, token, "page_down", "Nothing here has to be mended"},
			{xsandbox.OnAny, xsandbox.Garbage, token, "nonsense", "login page of a network"},
			{xsandbox.OnAny, xsandbox.RateLimit, token, "rate_limited", "Wait a quarter of an hour"},
			{xsandbox.OnAny, xsandbox.NoCredits, token, "no_credits", "Buy credits"},
			{xsandbox.OnAny, xsandbox.DropBefore, token, "unreachable", "this machine's network"},
			{xsandbox.OnAny, xsandbox.NotEnrolled, acct, "not_enrolled", "Attach the app to a project"},
			{xsandbox.OnAny, xsandbox.ReadOnly, acct, "read_only", "Read and write"},
			{xsandbox.OnRead, xsandbox.Unauthorized, acct, "token_refused", "Make a new Access Token"},
			{xsandbox.OnRead, xsandbox.Clock, acct, "clock_skew", "time synchronisation"},
			{xsandbox.OnRead, xsandbox.SuspendedApp, acct, "app_suspended", "what X objects to"},
			{xsandbox.OnRead, xsandbox.NoCredits, acct, "no_credits", "Buy credits"},
			{xsandbox.OnRead, xsandbox.Forbidden, acct, "read_only", "make a new access token"},
			{xsandbox.OnRead, xsandbox.Garbage, acct, "nonsense", "login page of a network"},
			{xsandbox.OnRead, xsandbox.Unavailable, acct, "page_down", "Test again"},
		} {
			w.misbehave(t, xsandbox.Rule{On: tt.on, Fault: tt.fault})
			w.finds(t, string(tt.fault)+" on "+string(tt.on), tt.step, tt.code, tt.remedy)
		}
	})
}

// finds sees that the diagnostic ends with a finding that names the remedy.
func (w *world) finds(t *testing.T, what string, step diagnostic.Step, code, remedy string) {
	run, result := w.diagnose(t)
	require.Equal(t, workflows.OAuthDiagnosisResult{Step: step, Code: code}, result, what)
	found, _ := run.Of(step)
	require.NotEmpty(t, found.Problem, what)
	require.Contains(t, found.Remedy, remedy, what)
}

func TestTheDiagnosticNamesWhatIsWrongWithTheSettings(t *testing.T) {
	each(t, patient, func(t *testing.T, w *world) {
		for _, tt := range []struct {
			key, secret  string
			step         diagnostic.Step
			code, remedy string
		}{
			{"canary-half-a-key", consumerSecret, env, "key_length", "Copy the API Key again"},
			{consumerKey, "canary-half-a-secret", env, "secret_length", "Copy the API Key Secret again"},
			{consumerSecret, consumerKey, env, "keys_swapped", "Exchange"},
			{strings.Repeat("canary", 6)[:34], consumerSecret, env, "key_is_oauth2", "not to the OAuth 2.0 Client ID"},
			{consumerKey, strings.Repeat("canary", 9)[:50], token, "keys_refused", "one half of an old pair"},
		} {
			w.useKeys(t, bot.Keys{ConsumerKey: tt.key, ConsumerSecret: tt.secret})
			w.finds(t, tt.code, tt.step, tt.code, tt.remedy)
		}
	})
}

func TestTheDiagnosticWithoutABot(t *testing.T) {
	each(t, patient, func(t *testing.T, w *world) {
		w.disconnect(t)
		_, result := w.diagnose(t)
		require.Equal(t, workflows.OAuthDiagnosisResult{OK: true, Step: acct, Code: "no_account"}, result, "nobody's login needs it")
	})
}

func TestTheDiagnosticOfAnXThatIsNotThere(t *testing.T) {
	t.Parallel()

	t.Run("nobody listens", func(t *testing.T) {
		each(t, patient, func(t *testing.T, w *world) {
			w.stopWorker()
			w.account.BaseURL = "http://127.0.0.1:1"
			w.startWorker(t)
			w.finds(t, "nobody listens", token, "unreachable_refused", "Set X_BASE_URL")
		})
	})
	t.Run("nobody answers", func(t *testing.T) {
		each(t, impatient, func(t *testing.T, w *world) {
			w.misbehave(t, xsandbox.Rule{On: xsandbox.OnAny, Fault: xsandbox.HangBefore})
			w.finds(t, "nobody answers", token, "unreachable_timeout", "firewall")
		})
	})
}
