package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/diagnostic"
)

// OAuthDiagnosis holds the activities of the OAuth diagnostic.
type OAuthDiagnosis struct {
	Runs     DiagnosisStore
	X        ProbeApps
	Callback string
	Founders int // how many handles are configured
	Sandbox  bool
	Now      func() time.Time
}

// DiagnosisStore keeps what was found. *store.Diagnoses implements it.
type DiagnosisStore interface {
	Diagnosis(ctx context.Context, id string) (diagnostic.Run, error)
	SaveFinding(ctx context.Context, diagnosisID string, f diagnostic.Found, at time.Time) error
	MoveDiagnosis(ctx context.Context, id, runID string, ended *time.Time) error
}

// ProbeApps gives an app at X to be examined: the keys in use, or those named.
type ProbeApps interface {
	ProbeApp(ctx context.Context, providerKeyID *string) (ProbeApp, bot.Keys, error)
	// BotTokens are nil when the bot is not connected.
	BotTokens(ctx context.Context) (*bot.Tokens, error)
}

// ProbeApp makes calls to X and says what they showed. It never fails: a failure is what
// it is asked about.
type ProbeApp interface {
	ProbeSignature(callback string) diagnostic.Signature
	ProbeRequestToken(ctx context.Context, callback string) diagnostic.Answer
	ProbeAccount(ctx context.Context, accessToken, accessSecret string) diagnostic.Answer
}

type DiagnosisRef struct{ DiagnosisID string }

// StepResult is what the flow needs to know of a finding.
type StepResult struct {
	OK   bool
	Step diagnostic.Step
	Code string
}

// BeginDiagnosis notes the run that carries the diagnosis.
func (a *OAuthDiagnosis) BeginDiagnosis(ctx context.Context, in DiagnosisRef) (Done, error) {
	return Done{}, a.Runs.MoveDiagnosis(ctx, in.DiagnosisID, activity.GetInfo(ctx).WorkflowExecution.RunID, nil)
}

// EndDiagnosis notes that nothing more will be found.
func (a *OAuthDiagnosis) EndDiagnosis(ctx context.Context, in DiagnosisRef) (Done, error) {
	now := a.Now()
	return Done{}, a.Runs.MoveDiagnosis(ctx, in.DiagnosisID, activity.GetInfo(ctx).WorkflowExecution.RunID, &now)
}

// CheckEnvironment measures the settings.
func (a *OAuthDiagnosis) CheckEnvironment(ctx context.Context, in DiagnosisRef) (StepResult, error) {
	return a.check(ctx, in, func(_ ProbeApp, keys bot.Keys, tokens *bot.Tokens) diagnostic.Found {
		return diagnostic.Found{
			Finding: diagnostic.CheckEnvironment(diagnostic.Environment{
				ConsumerKey: keys.ConsumerKey, ConsumerSecret: keys.ConsumerSecret, Callback: a.Callback,
				Founders: a.Founders, HasAccount: tokens != nil, Sandbox: a.Sandbox,
			}),
			Measures: diagnostic.Measures{KeyLength: len([]rune(keys.ConsumerKey)), SecretLength: len([]rune(keys.ConsumerSecret))},
		}
	})
}

// CheckSignature signs a call without sending it.
func (a *OAuthDiagnosis) CheckSignature(ctx context.Context, in DiagnosisRef) (StepResult, error) {
	return a.check(ctx, in, func(app ProbeApp, _ bot.Keys, _ *bot.Tokens) diagnostic.Found {
		signed := app.ProbeSignature(a.Callback)
		return diagnostic.Found{
			Finding:  diagnostic.CheckSignature(signed),
			Measures: diagnostic.Measures{BaseLength: signed.BaseLength, SignatureLength: signed.Length},
		}
	})
}

// CheckRequestToken asks X for a request token, as every login does. The token is not used.
func (a *OAuthDiagnosis) CheckRequestToken(ctx context.Context, in DiagnosisRef) (StepResult, error) {
	return a.check(ctx, in, func(app ProbeApp, _ bot.Keys, _ *bot.Tokens) diagnostic.Found {
		answer := app.ProbeRequestToken(ctx, a.Callback)
		return diagnostic.Found{
			Finding: diagnostic.CheckRequestToken(answer), Measures: diagnostic.Measures{Status: answer.Status}, Raw: answer.Body,
		}
	})
}

// CheckAccount asks X whose tokens the bot posts with: they show what the app may do.
func (a *OAuthDiagnosis) CheckAccount(ctx context.Context, in DiagnosisRef) (StepResult, error) {
	return a.check(ctx, in, func(app ProbeApp, _ bot.Keys, tokens *bot.Tokens) diagnostic.Found {
		if tokens == nil {
			return diagnostic.Found{Finding: diagnostic.NoAccount()}
		}
		answer := app.ProbeAccount(ctx, tokens.AccessToken, tokens.AccessSecret)
		return diagnostic.Found{
			Finding: diagnostic.CheckAccount(answer), Measures: diagnostic.Measures{Status: answer.Status}, Raw: answer.Body,
		}
	})
}

// check runs a step and keeps what it found. Safe to repeat: the finding is written anew.
func (a *OAuthDiagnosis) check(
	ctx context.Context, in DiagnosisRef, look func(ProbeApp, bot.Keys, *bot.Tokens) diagnostic.Found,
) (StepResult, error) {
	run, err := a.Runs.Diagnosis(ctx, in.DiagnosisID)
	if err != nil {
		return StepResult{}, err
	}
	app, keys, err := a.X.ProbeApp(ctx, run.ProviderKeyID)
	if err != nil {
		return StepResult{}, err
	}
	tokens, err := a.X.BotTokens(ctx)
	if err != nil {
		return StepResult{}, err
	}
	found := look(app, keys, tokens)
	err = a.Runs.SaveFinding(ctx, in.DiagnosisID, found, a.Now())
	return StepResult{OK: found.OK, Step: found.Step, Code: found.Code}, err
}
