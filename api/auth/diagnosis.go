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
	// DiagnosisPath is the path of the diagnostic, which cross-site pages must not request.
	DiagnosisPath = "/api/auth/test-oauth"
	diagnosisWait = 45 * time.Second
	// diagnosisKept is how long the results of later steps stay available.
	diagnosisKept = 10 * time.Minute
)

// TestOAuth is the result of one step of the OAuth diagnostic.
type TestOAuth struct {
	OK      bool            `json:"ok" doc:"True if this step passed"`
	Error   string          `json:"error,omitempty" doc:"Human-readable problem; omitted if the step passed"`
	Remedy  string          `json:"remedy,omitempty" doc:"How to fix the problem"`
	Code    string          `json:"code" doc:"Machine-readable result of the step"`
	Details []DiagnosisFact `json:"details" doc:"Measured values"`

	EnvCheck         *EnvCheck         `json:"env_check,omitempty" doc:"Result of the step env"`
	SignatureTest    *SignatureTest    `json:"signature_test,omitempty" doc:"Result of the step signature"`
	RequestTokenTest *RequestTokenTest `json:"request_token_test,omitempty" doc:"Result of the step request_token"`
	Account          *AccountTest      `json:"account,omitempty" doc:"Check of the bot's own tokens, with the step request_token; logins do not use them"`

	StartedAt time.Time `json:"startedAt" doc:"Time at which the run started"`
	NextAt    time.Time `json:"nextAt" doc:"Time from which another run may be started"`
	httpapi.RunRef
}

// DiagnosisFact is one measurement.
type DiagnosisFact struct {
	Name  string `json:"name" doc:"Name of the value"`
	Value string `json:"value" doc:"Measured value; secrets are not shown"`
}

// EnvCheck holds the lengths of the app's keys.
type EnvCheck struct {
	ClientIDLength     int `json:"client_id_length" doc:"Length of the API key in characters; X's keys have 25"`
	ClientSecretLength int `json:"client_secret_length" doc:"Length of the API key secret in characters; X's secrets have 50"`
}

// SignatureTest holds the lengths of a signature and its base string.
type SignatureTest struct {
	SignatureLength int `json:"signature_length" doc:"Length of the signature in characters"`
	BaseLength      int `json:"base_string_length" doc:"Length of the signature base string in characters"`
}

// RequestTokenTest is X's response to a request for a token.
type RequestTokenTest struct {
	APIResponse APIResponse `json:"api_response" doc:"X's answer"`
}

// APIResponse is a shortened response of X.
type APIResponse struct {
	Status       int    `json:"status" doc:"HTTP status; 0 if X did not answer"`
	OK           bool   `json:"ok" doc:"True if the status is 2xx"`
	ResponseText string `json:"response_text" doc:"Redacted answer; empty unless the caller is a founder"`
}

// AccountTest is X's verdict on the bot's tokens.
type AccountTest struct {
	OK          bool            `json:"ok" doc:"True if X accepts the bot's tokens"`
	Code        string          `json:"code" doc:"Machine-readable result"`
	Error       string          `json:"error,omitempty" doc:"Human-readable problem; omitted if the check passed"`
	Remedy      string          `json:"remedy,omitempty" doc:"How to fix the problem"`
	Details     []DiagnosisFact `json:"details" doc:"Measured values"`
	APIResponse APIResponse     `json:"api_response" doc:"X's answer"`
}

type testOAuthRequest struct {
	Step string `query:"step" doc:"Step of the diagnostic; start with env" required:"true" enum:"env,signature,request_token"`
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
		err = problem.New(problem.Unavailable, "The diagnosis is still running and hasn't reached this step. Try again in a moment.")
	}
	return showFinding(run, step, httpapi.CallerOf(ctx).Role == account.Founder), err
}

// diagnosis starts the visitor's run for the first step, and returns their latest run for the others.
func (a *API) diagnosis(ctx context.Context, step diagnostic.Step) (diagnostic.Run, error) {
	who := httpapi.CallerOf(ctx)
	visitor := who.Visitor(a.Marks)
	if step == diagnostic.StepEnvironment {
		run := diagnostic.Run{ID: xid.New().String(), Visitor: visitor, CreatedAt: a.Now()}
		err := a.Diagnoses.BeginDiagnosis(ctx, run, who.Asker(a.Marks))
		if err == nil {
			_, err = a.Runs.StartDiagnosis(ctx, run.ID)
			return run, err
		}
		if problem.CodeOf(err) != problem.TooMany {
			return run, err
		}
		if last, lastErr := a.Diagnoses.LatestDiagnosis(ctx, visitor, a.Now().Add(-account.DiagnosisPerVisitor.Per)); lastErr == nil {
			return last, nil
		}
		return run, err
	}
	run, err := a.Diagnoses.LatestDiagnosis(ctx, visitor, a.Now().Add(-diagnosisKept))
	if problem.CodeOf(err) == problem.NotFound {
		return run, problem.New(problem.Conflict, "No diagnosis is running. Start with the step env.")
	}
	return run, err
}

// reached reports whether a step has a result. The step request_token also shows the bot's account, so it waits for
// both.
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
		Details: []DiagnosisFact{}, StartedAt: run.CreatedAt, NextAt: run.CreatedAt.Add(account.DiagnosisPerVisitor.Per),
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
