package workflows

import (
	"context"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
)

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
