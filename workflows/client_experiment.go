package workflows

import (
	"context"
	"errors"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
)

// HeedExperiment starts the flow of an experiment that became active, or tells the one there is
// that its row has changed. A run that ended well has counted the votes, and nothing follows it.
// Safe to repeat.
func (c *Client) HeedExperiment(ctx context.Context, experimentID string) error {
	options := experimentOptions(experimentID)
	options.WorkflowIDReusePolicy = enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY
	_, err := c.Temporal.SignalWithStartWorkflow(ctx, options.ID, SignalWake, nil,
		options, Experiment, ExperimentInput{ExperimentID: experimentID})
	if _, over := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); over {
		return nil
	}
	return asProblem(err)
}

// CarryExperiment gives a run to an experiment that is open, unless it has one. It may have had
// one that ended well: then its row is younger than that, or from a backup.
func (c *Client) CarryExperiment(ctx context.Context, experimentID string) error {
	_, err := c.Temporal.ExecuteWorkflow(ctx, experimentOptions(experimentID), Experiment, ExperimentInput{ExperimentID: experimentID})
	return asProblem(err)
}

func experimentOptions(experimentID string) client.StartWorkflowOptions {
	return client.StartWorkflowOptions{
		ID: ExperimentID(experimentID), TaskQueue: QueueCore, TypedSearchAttributes: flowNamed("experiment"),
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
		WorkflowIDReusePolicy:    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
	}
}
