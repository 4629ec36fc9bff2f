package workflows_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/activities"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/diagnostic"
	"customerzero/workflows"
)

// probedApp is a fake X that is examined.
type probedApp struct {
	keys           bot.Keys
	tokens         *bot.Tokens
	signature      diagnostic.Signature
	token, account diagnostic.Answer
	locked         error    // the keys can't be decrypted
	asked          []string // calls of X
	tried          []string // row IDs of the keys; "" for the current ones
}

// wellProbed is an X without problems.
func wellProbed(changes ...func(*probedApp)) *probedApp {
	a := &probedApp{
		keys:      bot.Keys{ConsumerKey: strings.Repeat("k", 25), ConsumerSecret: strings.Repeat("s", 50)},
		tokens:    &bot.Tokens{AccessToken: "4242-token", AccessSecret: "token secret"},
		signature: diagnostic.Signature{BaseLength: 300, BaseHash: "hash", Length: 28},
		token:     diagnostic.Answer{Status: 200, HasToken: true, Confirmed: true, Body: "oauth_token=…"},
		account:   diagnostic.Answer{Status: 200, UserID: "4242", Username: "bot", AccessLevel: "read-write"},
	}
	for _, change := range changes {
		if change != nil {
			change(a)
		}
	}
	return a
}

func (a *probedApp) ProbeApp(_ context.Context, providerKeyID *string) (activities.ProbeApp, bot.Keys, error) {
	id := ""
	if providerKeyID != nil {
		id = *providerKeyID
	}
	a.tried = append(a.tried, id)
	return a, a.keys, a.locked
}

func (a *probedApp) BotTokens(context.Context) (*bot.Tokens, error) { return a.tokens, nil }

func (a *probedApp) ProbeSignature(string) diagnostic.Signature { return a.signature }

func (a *probedApp) ProbeRequestToken(context.Context, string) diagnostic.Answer {
	a.asked = append(a.asked, "request_token")
	return a.token
}

func (a *probedApp) ProbeAccount(context.Context, string, string) diagnostic.Answer {
	a.asked = append(a.asked, "account")
	return a.account
}

func (a *probedApp) activities(s *stage) *activities.OAuthDiagnosis {
	return &activities.OAuthDiagnosis{
		Runs: s.db.Diagnoses, X: a, Callback: "https://zero.example/auth/x/callback", Founders: 2, Now: s.env.Now,
	}
}

// diagnosisWorld is a stored diagnosis.
type diagnosisWorld struct {
	*stage
	x   *probedApp
	row diagnostic.Run
}

func newDiagnosisWorld(t *testing.T, changes ...func(*probedApp)) *diagnosisWorld {
	t.Helper()
	e := &diagnosisWorld{stage: newStage(t), x: wellProbed(changes...), row: diagnostic.Run{ID: "d1", Visitor: "a digest", CreatedAt: begin}}
	require.NoError(t, e.db.Diagnoses.BeginDiagnosis(t.Context(), e.row, account.Asker{}))
	e.env.RegisterActivity(e.x.activities(e.stage))
	return e
}

func (e *diagnosisWorld) run(t *testing.T) workflows.OAuthDiagnosisResult {
	t.Helper()
	result := run[workflows.OAuthDiagnosisResult](t, e.env, workflows.OAuthDiagnosis, workflows.OAuthDiagnosisInput{DiagnosisID: e.row.ID})
	e.read(t)
	require.NotNil(t, e.row.EndedAt, "pages must not wait for what will not come")
	require.NotEmpty(t, e.row.RunID)
	return result
}

func (e *diagnosisWorld) read(t *testing.T) {
	e.row = must(e.db.Diagnoses.Diagnosis(t.Context(), e.row.ID))
}

func TestDiagnosisEndsAtTheFirstStepThatFails(t *testing.T) {
	t.Parallel()
	const env, signature, token, acct = diagnostic.StepEnvironment, diagnostic.StepSignature, diagnostic.StepRequestToken, diagnostic.StepAccount
	for name, tt := range map[string]struct {
		change func(*probedApp)
		ok     bool
		step   diagnostic.Step // the last step
		code   string
		found  int // number of findings
		asked  int // number of calls of X
	}{
		"no problem":                    {ok: true, step: acct, code: "ok", found: 4, asked: 2},
		"no problem, and no bot":        {change: func(a *probedApp) { a.tokens = nil }, ok: true, step: acct, code: "no_account", found: 4, asked: 1},
		"the keys are not set":          {change: func(a *probedApp) { a.keys = bot.Keys{} }, step: env, code: "key_missing", found: 1},
		"a key is too short":            {change: func(a *probedApp) { a.keys.ConsumerKey = "short" }, step: env, code: "key_length", found: 1},
		"signing fails":                 {change: func(a *probedApp) { a.signature = diagnostic.Signature{} }, step: signature, code: "signature_failed", found: 2},
		"X refuses the keys":            {change: func(a *probedApp) { a.token = diagnostic.Answer{Status: 401, Code: 32} }, step: token, code: "keys_refused", found: 3, asked: 1},
		"X is not reached":              {change: func(a *probedApp) { a.token = diagnostic.Answer{Unreachable: "dns"} }, step: token, code: "unreachable_dns", found: 3, asked: 1},
		"X refuses the bot's token":     {change: func(a *probedApp) { a.account = diagnostic.Answer{Status: 401} }, step: acct, code: "token_refused", found: 4, asked: 2},
		"the bot's token may only read": {change: func(a *probedApp) { a.account.AccessLevel = "read" }, step: acct, code: "read_only", found: 4, asked: 2},
		"X shows no account":            {change: func(a *probedApp) { a.account.UserID = "" }, step: acct, code: "nonsense", found: 4, asked: 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newDiagnosisWorld(t, tt.change)
			require.Equal(t, workflows.OAuthDiagnosisResult{OK: tt.ok, Step: tt.step, Code: tt.code}, e.run(t))
			require.Len(t, e.row.Findings, tt.found)
			require.Len(t, e.x.asked, tt.asked)
			last, known := e.row.Of(tt.step)
			require.True(t, known)
			require.Equal(t, tt.code, last.Code)
			require.Equal(t, !tt.ok, last.Problem != "" && last.Remedy != "", "what is wrong has its remedy, and nothing else has")
		})
	}
}

func TestRepeatedDiagnosisSteps(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		network network
		asked   int
	}{
		"a probe's answer is lost":             {network{loses: "CheckRequestToken", times: 2}, 4},
		"the worker is lost before a probe":    {network{loses: "CheckAccount", times: 2, asks: true}, 2},
		"the database is unavailable at first": {network{loses: "BeginDiagnosis", times: 2, asks: true}, 2},
		"a local step is repeated":             {network{loses: "CheckSignature", times: 2}, 2},
		"the end is stored twice":              {network{loses: "EndDiagnosis", times: 2}, 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newDiagnosisWorld(t)
			*e.network = tt.network
			require.True(t, e.run(t).OK)
			require.Len(t, e.row.Findings, 4, "a repeated step replaces its finding")
			require.Len(t, e.x.asked, tt.asked)
		})
	}
}

// TestFailedDiagnosisEnds checks that a step which can't run fails the workflow, visibly for founders,
// before the visitor's page gives up.
func TestFailedDiagnosisEnds(t *testing.T) {
	t.Parallel()
	for name, cancelled := range map[string]bool{"a step that cannot be taken": false, "cancelled in the console": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e := newDiagnosisWorld(t)
			*e.network = network{loses: "CheckRequestToken", asks: true}
			if cancelled {
				e.after(time.Second, e.env.CancelWorkflow)
			}
			e.env.ExecuteWorkflow(workflows.OAuthDiagnosis, workflows.OAuthDiagnosisInput{DiagnosisID: e.row.ID})
			require.Error(t, e.env.GetWorkflowError())
			require.Less(t, e.env.Now().Sub(begin), 2*time.Minute)
			e.read(t)
			require.NotNil(t, e.row.EndedAt)
			require.Len(t, e.row.Findings, 2)
		})
	}
}

// TestDiagnosisWaitsForUndecryptableKeys checks that keys which can't be decrypted are no finding about
// X.
func TestDiagnosisWaitsForUndecryptableKeys(t *testing.T) {
	t.Parallel()
	e := newDiagnosisWorld(t, func(a *probedApp) { a.locked = errors.New("the ring lacks a key") })
	e.after(time.Minute, func() { e.x.locked = nil })
	require.True(t, e.run(t).OK)
	require.Len(t, e.row.Findings, 4)
}
