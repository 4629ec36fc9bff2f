package auth

import (
	"context"
	"time"

	"github.com/rs/xid"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/account"
	"customerzero/internal/domain/diagnostic"
	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

const (
	DiagnosisPath = "/api/auth/test-oauth"
	diagnosisWait = 45 * time.Second
	// diagnosisKept is how long the later steps may be asked for.
	diagnosisKept = 10 * time.Minute
)

// TestOAuth is what one step of the diagnostic found.
type TestOAuth struct {
	OK      bool            `json:"ok"`
	Error   string          `json:"error,omitempty" doc:"What is wrong, for a person"`
	Remedy  string          `json:"remedy,omitempty" doc:"What to do about it"`
	Code    string          `json:"code"`
	Details []DiagnosisFact `json:"details" doc:"What was measured"`

	EnvCheck         *EnvCheck         `json:"env_check,omitempty"`
	SignatureTest    *SignatureTest    `json:"signature_test,omitempty"`
	RequestTokenTest *RequestTokenTest `json:"request_token_test,omitempty"`
	Account          *AccountTest      `json:"account,omitempty" doc:"With request_token: the bot's own tokens. Nobody's login needs them"`

	StartedAt time.Time `json:"startedAt"`
	NextAt    time.Time `json:"nextAt" doc:"When another run may be started"`
	httpapi.RunRef
}

// DiagnosisFact is something measured.
type DiagnosisFact struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// EnvCheck measures the app's keys.
type EnvCheck struct {
	ClientIDLength     int `json:"client_id_length" doc:"In characters; X's API keys have 25"`
	ClientSecretLength int `json:"client_secret_length" doc:"50 with X"`
}

// SignatureTest measures a signature.
type SignatureTest struct {
	SignatureLength int `json:"signature_length"`
	BaseLength      int `json:"base_string_length"`
}

// RequestTokenTest is X's answer.
type RequestTokenTest struct {
	APIResponse APIResponse `json:"api_response"`
}

// APIResponse is X's answer in short.
type APIResponse struct {
	Status       int    `json:"status" doc:"0: there was no answer"`
	OK           bool   `json:"ok"`
	ResponseText string `json:"response_text" doc:"Redacted, and empty unless a founder asks"`
}

// AccountTest is what X says of the bot's own tokens.
type AccountTest struct {
	OK          bool            `json:"ok"`
	Code        string          `json:"code"`
	Error       string          `json:"error,omitempty"`
	Remedy      string          `json:"remedy,omitempty"`
	Details     []DiagnosisFact `json:"details"`
	APIResponse APIResponse     `json:"api_response"`
}

type testOAuthRequest struct {
	Step string `query:"step" required:"true" enum:"env,signature,request_token"`
}

func (a *API) TestOAuth(ctx context.Context, req *testOAuthRequest) (TestOAuth, error) {
	step := diagnostic.Step(req.Step)
	run, err := a.diagnosis(ctx, step)
	if err != nil {
		return TestOAuth{}, err
	}
	run, found, err := httpapi.Poll(ctx, diagnosisWait, func() (diagnostic.Run, bool, error) {
		run, err := a.Diagnoses.Diagnosis(ctx, run.ID)
		return run, reached(run, step), err
	})
	if err == nil && !found {
		err = problem.New(problem.Unavailable, "The diagnosis has not come to this step yet. Its run goes on; ask again in a moment.")
	}
	return showFinding(run, step, httpapi.CallerOf(ctx).Role == account.Founder), err
}

// diagnosis starts the visitor's run with its first step, and finds it again for the others.
func (a *API) diagnosis(ctx context.Context, step diagnostic.Step) (diagnostic.Run, error) {
	visitor := httpapi.CallerOf(ctx).Visitor(a.Marks)
	if step == diagnostic.StepEnvironment {
		run := diagnostic.Run{ID: xid.New().String(), Visitor: visitor, CreatedAt: a.Now()}
		err := a.Diagnoses.BeginDiagnosis(ctx, run)
		if err == nil {
			_, err = a.Runs.StartDiagnosis(ctx, run.ID)
			return run, err
		}
		if problem.CodeOf(err) != problem.TooMany {
			return run, err
		}
		if last, lastErr := a.Diagnoses.LatestDiagnosis(ctx, visitor, a.Now().Add(-account.DiagnosisPerPerson.Per)); lastErr == nil {
			return last, nil
		}
		return run, err
	}
	run, err := a.Diagnoses.LatestDiagnosis(ctx, visitor, a.Now().Add(-diagnosisKept))
	if problem.CodeOf(err) == problem.NotFound && err != nil {
		return run, problem.New(problem.Conflict, "No diagnosis is under way. Begin with the step env.")
	}
	return run, err
}

// reached says whether a step can be shown. The bot's account is shown with the request
// token, so that one waits for both.
func reached(run diagnostic.Run, step diagnostic.Step) bool {
	if run.EndedAt != nil {
		return true
	}
	_, found := run.Of(step)
	if _, account := run.Of(diagnostic.StepAccount); step == diagnostic.StepRequestToken && !account {
		return false
	}
	return found
}

func showFinding(run diagnostic.Run, step diagnostic.Step, founder bool) TestOAuth {
	shown := TestOAuth{
		Details: []DiagnosisFact{}, StartedAt: run.CreatedAt, NextAt: run.CreatedAt.Add(account.DiagnosisPerPerson.Per),
		RunRef: httpapi.RunOf(workflows.OAuthDiagnosisID(run.ID), run.RunID),
	}
	found, ok := run.Of(step)
	if !ok {
		shown.Code, shown.Error = "not_reached", "The diagnosis ended before this step."
		return shown
	}
	shown.OK, shown.Code, shown.Error, shown.Remedy = found.OK, found.Code, found.Problem, found.Remedy
	shown.Details = facts(found.Facts)
	measured := found.Measures
	switch step {
	case diagnostic.StepEnvironment:
		shown.EnvCheck = &EnvCheck{measured.KeyLength, measured.SecretLength}
	case diagnostic.StepSignature:
		shown.SignatureTest = &SignatureTest{measured.SignatureLength, measured.BaseLength}
	case diagnostic.StepRequestToken:
		shown.RequestTokenTest = &RequestTokenTest{apiResponse(found, founder)}
		shown.Account = accountTest(run, founder)
	case diagnostic.StepRedirect, diagnostic.StepAccount:
	}
	return shown
}

func apiResponse(found diagnostic.Found, founder bool) APIResponse {
	status := found.Measures.Status
	response := APIResponse{Status: status, OK: status >= 200 && status < 300}
	if founder {
		response.ResponseText = found.Raw
	}
	return response
}

func accountTest(run diagnostic.Run, founder bool) *AccountTest {
	found, ok := run.Of(diagnostic.StepAccount)
	if !ok {
		return nil
	}
	return &AccountTest{
		OK: found.OK, Code: found.Code, Error: found.Problem, Remedy: found.Remedy, Details: facts(found.Facts),
		APIResponse: apiResponse(found, founder),
	}
}

func facts(measured []diagnostic.Fact) []DiagnosisFact {
	return httpapi.Map(measured, func(fact diagnostic.Fact) DiagnosisFact { return DiagnosisFact(fact) })
}
