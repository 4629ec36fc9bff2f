package client

import (
	"context"

	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

// SendLetter starts the flow that sends an email. An email with an open run keeps it.
func (c *Client) SendLetter(ctx context.Context, letterID string) error {
	o := options(workflows.MailID(letterID))
	o.TaskQueue = workflows.QueuePatient
	_, err := c.start(ctx, o, workflows.Mail, workflows.MailInput{LetterID: letterID})
	return err
}

// BeginXLogin starts a login with X and waits until the user can be redirected to X, or the login
// has failed.
func (c *Client) BeginXLogin(ctx context.Context, loginID string) error {
	return c.startAndUpdate(ctx, options(workflows.XLoginID(loginID)), workflows.UpdateLeave, workflows.XLogin, workflows.XLoginInput{LoginID: loginID})
}

// FinishXLogin reports that the user is back from X, and waits until X has identified them.
func (c *Client) FinishXLogin(ctx context.Context, loginID string) error {
	err := c.update(ctx, workflows.XLoginID(loginID), workflows.UpdateReturn)
	if isGone(err) {
		return problem.New(problem.Conflict, "This login is over.")
	}
	return asProblem(err)
}

// Diagnose starts the OAuth diagnostic and returns its run ID.
func (c *Client) Diagnose(ctx context.Context, diagnosisID string) (runID string, err error) {
	return c.start(ctx, eagerly(options(workflows.DiagnosisID(diagnosisID))), workflows.OAuthDiagnosis, workflows.DiagnosisInput{DiagnosisID: diagnosisID})
}

// TryConnection tries tokens with X and waits until their row has the result.
func (c *Client) TryConnection(ctx context.Context, connectionID string) error {
	return c.run(ctx, eagerly(options(workflows.CredentialsID(connectionID))), nil, workflows.Credentials, workflows.CredentialsInput{ConnectionID: connectionID})
}

// ReplaceKeys tries keys of the app with the diagnostic and waits for its decision.
func (c *Client) ReplaceKeys(ctx context.Context, providerKeyID string) error {
	return c.startAndUpdate(ctx, options(workflows.ProviderKeysID(providerKeyID)), workflows.UpdateDecide,
		workflows.ProviderKeys, workflows.ProviderKeysInput{ProviderKeyID: providerKeyID})
}

// Depart starts the flow that deletes an account and returns its run ID. Safe to repeat: an open
// run stays.
func (c *Client) Depart(ctx context.Context, departureID string) (runID string, err error) {
	return c.start(ctx, eagerly(options(workflows.DepartureID(departureID))), workflows.Departure, workflows.DepartureInput{DepartureID: departureID})
}
