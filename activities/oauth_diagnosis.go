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
	Founders int // number of configured handles
	Sandbox  bool
	Now      func() time.Time
}

// DiagnosisStore stores findings. *store.Diagnoses implements it.
type DiagnosisStore interface {
	Diagnosis(ctx context.Context, id string) (diagnostic.Run, error)
	SaveFinding(ctx context.Context, diagnosisID string, f diagnostic.Found, at time.Time) error
	MoveDiagnosis(ctx context.Context, id, runID string, ended *time.Time) error
}

// ProbeApps returns the app at X to examine: with the current keys, or with the named ones.
type ProbeApps interface {
	ProbeApp(ctx context.Context, providerKeyID *string) (ProbeApp, bot.Keys, error)
	// BotTokens returns nil if the bot is not connected.
	BotTokens(ctx context.Context) (*bot.Tokens, error)
}

// ProbeApp calls X and returns the observations. A failure is an observation, not an error.
type ProbeApp interface {
	ProbeSignature(callback string) diagnostic.Signature
	ProbeRequestToken(ctx context.Context, callback string) diagnostic.Answer
	ProbeAccount(ctx context.Context, accessToken, accessSecret string) diagnostic.Answer
}

type DiagnosisRef struct{ DiagnosisID string }

// StepResult is what the workflow needs to know of a finding.
type StepResult struct {
	OK   bool
	Step diagnostic.Step
	Code string
}

// BeginDiagnosis stores the run of a diagnosis.
func (a *OAuthDiagnosis) BeginDiagnosis(ctx context.Context, in DiagnosisRef) (Done, error) {
	return Done{}, a.Runs.MoveDiagnosis(ctx, in.DiagnosisID, activity.GetInfo(ctx).WorkflowExecution.RunID, nil)
}

// EndDiagnosis stores the end of a diagnosis.
func (a *OAuthDiagnosis) EndDiagnosis(ctx context.Context, in DiagnosisRef) (Done, error) {
	now := a.Now()
	return Done{}, a.Runs.MoveDiagnosis(ctx, in.DiagnosisID, activity.GetInfo(ctx).WorkflowExecution.RunID, &now)
}

// CheckEnvironment checks the settings.
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

// CheckRequestToken gets a request token from X, as every login does. The token is not used.
func (a *OAuthDiagnosis) CheckRequestToken(ctx context.Context, in DiagnosisRef) (StepResult, error) {
	return a.check(ctx, in, func(app ProbeApp, _ bot.Keys, _ *bot.Tokens) diagnostic.Found {
		answer := app.ProbeRequestToken(ctx, a.Callback)
		return diagnostic.Found{
			Finding: diagnostic.CheckRequestToken(answer), Measures: diagnostic.Measures{Status: answer.Status}, Raw: answer.Body,
		}
	})
}

// CheckAccount verifies the bot's tokens with X, which shows the app's permissions.
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

// check runs a step and stores its finding. Safe to repeat: the finding is replaced.
func (a *OAuthDiagnosis) check(
	ctx context.Context, in DiagnosisRef, examine func(ProbeApp, bot.Keys, *bot.Tokens) diagnostic.Found,
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
	found := examine(app, keys, tokens)
	err = a.Runs.SaveFinding(ctx, in.DiagnosisID, found, a.Now())
	return StepResult{OK: found.OK, Step: found.Step, Code: found.Code}, err
}
