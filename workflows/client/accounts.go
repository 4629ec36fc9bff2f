package client

import (
	"context"

	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

// SendEmail starts the flow that sends an email. An email with an open run keeps it.
func (c *Client) SendEmail(ctx context.Context, emailID string) error {
	o := options(workflows.EmailID(emailID))
	o.TaskQueue = workflows.QueueEmail
	_, err := c.start(ctx, o, workflows.Email, workflows.EmailInput{EmailID: emailID})
	return err
}

// BeginXLogin starts a login with X and waits until the user can be redirected to X, or the login
// has failed.
func (c *Client) BeginXLogin(ctx context.Context, loginID string) error {
	return c.startAndUpdate(ctx, options(workflows.XLoginID(loginID)), workflows.UpdateAuthorize, workflows.XLogin, workflows.XLoginInput{LoginID: loginID})
}

// EndXLogin ends a login whose run has ended by force: its user has seen an error.
func (c *Client) EndXLogin(ctx context.Context, loginID string) error {
	_, err := c.start(ctx, options(workflows.XLoginID(loginID)), workflows.XLogin, workflows.XLoginInput{LoginID: loginID, Interrupted: true})
	return err
}

// FinishXLogin reports that the user is back from X, and waits until X has identified them.
func (c *Client) FinishXLogin(ctx context.Context, loginID string) error {
	err := c.update(ctx, workflows.XLoginID(loginID), workflows.UpdateComplete)
	if isGone(err) {
		return problem.New(problem.Conflict, "This login has ended. Start again.")
	}
	return asProblem(err)
}

// StartDiagnosis starts the OAuth diagnostic and returns its run ID.
func (c *Client) StartDiagnosis(ctx context.Context, diagnosisID string) (runID string, err error) {
	return c.start(ctx, c.eagerly(workflows.OAuthDiagnosisID(diagnosisID)), workflows.OAuthDiagnosis, workflows.OAuthDiagnosisInput{DiagnosisID: diagnosisID})
}

// TryConnection tries tokens with X and waits until their row has the result.
func (c *Client) TryConnection(ctx context.Context, connectionID string) error {
	return c.run(ctx, c.eagerly(workflows.CredentialsID(connectionID)), nil, workflows.Credentials, workflows.CredentialsInput{ConnectionID: connectionID})
}

// EndConnection ends a test of tokens whose run has ended by force.
func (c *Client) EndConnection(ctx context.Context, connectionID string) error {
	_, err := c.start(ctx, options(workflows.CredentialsID(connectionID)), workflows.Credentials, workflows.CredentialsInput{ConnectionID: connectionID, Interrupted: true})
	return err
}

// EndKeys ends a test of keys whose run has ended by force.
func (c *Client) EndKeys(ctx context.Context, providerKeyID string) error {
	_, err := c.start(ctx, options(workflows.ProviderKeysID(providerKeyID)), workflows.ProviderKeys, workflows.ProviderKeysInput{ProviderKeyID: providerKeyID, Interrupted: true})
	return err
}

// ReplaceKeys tries keys of the app with the diagnostic and waits for its decision.
func (c *Client) ReplaceKeys(ctx context.Context, providerKeyID string) error {
	return c.startAndUpdate(ctx, options(workflows.ProviderKeysID(providerKeyID)), workflows.UpdateDecide,
		workflows.ProviderKeys, workflows.ProviderKeysInput{ProviderKeyID: providerKeyID})
}

// StartAccountDeletion starts the flow that deletes an account and returns its run ID. Safe to repeat: an open
// run stays.
func (c *Client) StartAccountDeletion(ctx context.Context, deletionID string) (runID string, err error) {
	return c.start(ctx, c.eagerly(workflows.AccountDeletionID(deletionID)), workflows.AccountDeletion, workflows.AccountDeletionInput{AccountDeletionID: deletionID})
}
