package workflows

import (
	"context"
	"errors"

	"go.temporal.io/sdk/client"

	"customerzero/internal/domain/problem"
)

// Generate starts the flow of a generation, and names its run.
func (c *Client) Generate(ctx context.Context, generationID string) (runID string, err error) {
	run, err := c.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: GenerationID(generationID), TaskQueue: QueueCore, TypedSearchAttributes: flowNamed("generation"),
		EnableEagerStart: true,
	}, Generation, GenerationInput{GenerationID: generationID})
	if err != nil {
		return "", asProblem(err)
	}
	return run.GetRunID(), nil
}

// AwaitGeneration waits until every text of a generation has ended, for as long as ctx says.
func (c *Client) AwaitGeneration(ctx context.Context, generationID, runID string) error {
	err := c.Temporal.GetWorkflow(ctx, GenerationID(generationID), runID).Get(ctx, nil)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return problem.New(problem.Unavailable, "The model is still writing. Ask again in a minute, or start a generation and look on.")
	}
	return asProblem(err)
}
