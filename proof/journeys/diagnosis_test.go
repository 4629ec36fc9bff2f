package journeys_test

import (
	"strings"
	"testing"
	"time"

	"github.com/rs/xid"
	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/diagnostic"
	xsandbox "customerzero/internal/sandbox/x"
	"customerzero/workflows"
)

// diagnose lets the diagnostic find out, and sees that its run tells the same as its rows.
func (w *world) diagnose(t *testing.T) (diagnostic.Run, workflows.DiagnosisResult) {
	t.Helper()
	run := diagnostic.Run{ID: xid.New().String(), CreatedAt: time.Now()}
	run.Visitor = "visitor of " + run.ID
	require.NoError(t, w.db.Diagnoses.BeginDiagnosis(t.Context(), run))
	runID, err := w.runs.Diagnose(t.Context(), run.ID)
	require.NoError(t, err)
	var result workflows.DiagnosisResult
	require.NoError(t, w.temporal.GetWorkflow(t.Context(), workflows.DiagnosisID(run.ID), runID).Get(t.Context(), &result))
	run, err = w.db.Diagnoses.Diagnosis(t.Context(), run.ID)
	require.NoError(t, err)
	require.Equal(t, runID, run.RunID)
	require.NotNil(t, run.EndedAt)
	found, known := run.Of(result.Step)
	require.True(t, known)
	require.Equal(t, workflows.DiagnosisResult{OK: found.OK, Step: found.Step, Code: found.Code}, result)
	return run, result
}

func soundSetup(t *testing.T, w *world) string {
	run, result := w.diagnose(t)
	require.Equal(t, workflows.DiagnosisResult{OK: true, Step: diagnostic.StepAccount, Code: "ok"}, result)
	require.Len(t, run.Findings, 4)
	return workflows.DiagnosisID(run.ID)
}

func brokenSetup(t *testing.T, w *world) string {
	w.misbehave(t, xsandbox.Rule{On: xsandbox.OnLogin, Fault: xsandbox.BadApp})
	run, result := w.diagnose(t)
	require.Equal(t, workflows.DiagnosisResult{Step: diagnostic.StepRequestToken, Code: "keys_refused"}, result)
	require.Len(t, run.Findings, 3)
	return workflows.DiagnosisID(run.ID)
}

// Steps by the names that the table is read best with.
const (
	env, token, acct = diagnostic.StepEnvironment, diagnostic.StepRequestToken, diagnostic.StepAccount
)

func TestTheDiagnosticNamesWhatIsWrongAtX(t *testing.T) {
	t.Parallel()
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
	t.Helper()
	run, result := w.diagnose(t)
	require.Equal(t, workflows.DiagnosisResult{Step: step, Code: code}, result, what)
	found, _ := run.Of(step)
	require.NotEmpty(t, found.Problem, what)
	require.Contains(t, found.Remedy, remedy, what)
}

func TestTheDiagnosticNamesWhatIsWrongWithTheSettings(t *testing.T) {
	t.Parallel()
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
	t.Parallel()
	each(t, patient, func(t *testing.T, w *world) {
		w.disconnect(t)
		_, result := w.diagnose(t)
		require.Equal(t, workflows.DiagnosisResult{OK: true, Step: acct, Code: "no_account"}, result, "nobody's login needs it")
	})
}

func TestTheDiagnosticOfAnXThatIsNotThere(t *testing.T) {
	t.Parallel()

	t.Run("nobody listens", func(t *testing.T) {
		t.Parallel()
		each(t, patient, func(t *testing.T, w *world) {
			w.stopWorker()
			w.account.BaseURL = "http://127.0.0.1:1"
			w.startWorker(t)
			w.finds(t, "nobody listens", token, "unreachable_refused", "Set X_BASE_URL")
		})
	})
	t.Run("nobody answers", func(t *testing.T) {
		t.Parallel()
		each(t, impatient, func(t *testing.T, w *world) {
			w.misbehave(t, xsandbox.Rule{On: xsandbox.OnAny, Fault: xsandbox.HangBefore})
			w.finds(t, "nobody answers", token, "unreachable_timeout", "firewall")
		})
	})
}
