package workflows

import (
	"context"
	"errors"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"customerzero/activities"
	"customerzero/internal/domain/problem"
)

// SendLetter starts the flow that carries an e-mail. One that is carried already is left
// alone; one whose run was ended gets a new one.
func (c *Client) SendLetter(ctx context.Context, letterID string) error {
	_, err := c.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: MailID(letterID), TaskQueue: QueuePatient, TypedSearchAttributes: flowNamed("mail"),
		WorkflowIDReusePolicy: enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
	}, Mail, MailInput{LetterID: letterID})
	return asProblem(err)
}

// BeginXLogin starts a login with X, and waits until the person can be sent there, or it
// is known that they cannot.
func (c *Client) BeginXLogin(ctx context.Context, loginID string) error {
	start := c.Temporal.NewWithStartWorkflowOperation(client.StartWorkflowOptions{
		ID: XLoginID(loginID), TaskQueue: QueueCore, TypedSearchAttributes: flowNamed("x-login"),
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, XLogin, XLoginInput{LoginID: loginID})
	return c.startAnd(ctx, start, UpdateLeave)
}

// FinishXLogin tells a login that its person is back, and waits until X has said who it was.
func (c *Client) FinishXLogin(ctx context.Context, loginID string) error {
	handle, err := c.Temporal.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: XLoginID(loginID), UpdateName: UpdateReturn, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err == nil {
		var state activities.XLoginState
		err = handle.Get(ctx, &state)
	}
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		return problem.New(problem.Conflict, "This login is over.")
	}
	return asProblem(err)
}

// Diagnose starts the diagnostic, and names its run.
func (c *Client) Diagnose(ctx context.Context, diagnosisID string) (runID string, err error) {
	run, err := c.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: DiagnosisID(diagnosisID), TaskQueue: QueueCore, TypedSearchAttributes: flowNamed("oauth-diagnosis"),
		EnableEagerStart: true,
	}, OAuthDiagnosis, DiagnosisInput{DiagnosisID: diagnosisID})
	if err != nil {
		return "", asProblem(err)
	}
	return run.GetRunID(), nil
}

// TryConnection tries tokens with X, and waits until their row says what came of it.
func (c *Client) TryConnection(ctx context.Context, connectionID string) error {
	run, err := c.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: CredentialsID(connectionID), TaskQueue: QueueCore, TypedSearchAttributes: flowNamed("credentials"),
		EnableEagerStart: true,
	}, Credentials, CredentialsInput{ConnectionID: connectionID})
	if err != nil {
		return asProblem(err)
	}
	return asProblem(run.Get(ctx, nil))
}

// ReplaceKeys lets the diagnostic try keys of the app, and waits until it has decided.
func (c *Client) ReplaceKeys(ctx context.Context, providerKeyID string) error {
	start := c.Temporal.NewWithStartWorkflowOperation(client.StartWorkflowOptions{
		ID: ProviderKeysID(providerKeyID), TaskQueue: QueueCore, TypedSearchAttributes: flowNamed("provider-keys"),
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, ProviderKeys, ProviderKeysInput{ProviderKeyID: providerKeyID})
	return c.startAnd(ctx, start, UpdateDecide)
}

// startAnd starts a flow and waits for its first answer. The flow goes on after it.
func (c *Client) startAnd(ctx context.Context, start client.WithStartWorkflowOperation, update string) error {
	handle, err := c.Temporal.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: start,
		UpdateOptions:          client.UpdateWorkflowOptions{UpdateName: update, WaitForStage: client.WorkflowUpdateStageCompleted},
	})
	if err != nil {
		return asProblem(err)
	}
	return asProblem(handle.Get(ctx, nil))
}

// Depart starts the flow that forgets a member, and names its run. Safe to repeat: a flow that
// is under way stays.
func (c *Client) Depart(ctx context.Context, departureID string) (runID string, err error) {
	run, err := c.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: DepartureID(departureID), TaskQueue: QueueCore, EnableEagerStart: true,
		TypedSearchAttributes:    flowNamed("departure"),
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, Departure, DepartureInput{DepartureID: departureID})
	if err != nil {
		return "", asProblem(err)
	}
	return run.GetRunID(), nil
}
