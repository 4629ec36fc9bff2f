package client

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"

	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

// NotifyExperiment starts the workflow of an experiment that became active, or signals the open run that
// its row has changed. A run that completed has counted the votes, and no run follows it. Safe to
// repeat.
func (c *Client) NotifyExperiment(ctx context.Context, experimentID string) error {
	o := options(workflows.ExperimentID(experimentID))
	o.WorkflowIDReusePolicy = enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY
	_, err := c.Temporal.SignalWithStartWorkflow(ctx, o.ID, workflows.SignalWoken, nil,
		o, workflows.Experiment, workflows.ExperimentInput{ExperimentID: experimentID})
	if _, over := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); over {
		return nil
	}
	return asProblem(err)
}

// StartExperiment starts a run for an experiment, unless it has an open one. It may have had one that
// completed: then its row was changed since, or restored from a backup.
func (c *Client) StartExperiment(ctx context.Context, experimentID string) error {
	_, err := c.start(ctx, options(workflows.ExperimentID(experimentID)), workflows.Experiment, workflows.ExperimentInput{ExperimentID: experimentID})
	return err
}

// StartGeneration starts the flow of a generation and returns its run ID.
func (c *Client) StartGeneration(ctx context.Context, generationID string) (runID string, err error) {
	return c.start(ctx, c.eagerly(workflows.GenerationID(generationID)), workflows.Generation, workflows.GenerationInput{GenerationID: generationID})
}

// AwaitGeneration waits until every text of a generation has ended, or ctx has.
func (c *Client) AwaitGeneration(ctx context.Context, generationID, runID string) error {
	err := c.Temporal.GetWorkflow(ctx, workflows.GenerationID(generationID), runID).Get(ctx, nil)
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return problem.New(problem.Unavailable, "The model is still writing. Check again in a minute.")
	}
	return asProblem(err)
}

// StartVerification starts the flow of a verification and returns its run ID. Safe to repeat.
func (c *Client) StartVerification(ctx context.Context, verificationID string) (runID string, err error) {
	return c.start(ctx, c.eagerly(workflows.VerificationID(verificationID)),
		workflows.Verification, workflows.VerificationInput{VerificationID: verificationID})
}

// AwaitVerification returns when the run has ended, or with the error of ctx.
func (c *Client) AwaitVerification(ctx context.Context, verificationID, runID string) error {
	err := c.Temporal.GetWorkflow(ctx, workflows.VerificationID(verificationID), runID).Get(ctx, nil)
	if deadline, set := ctx.Deadline(); err != nil && set && time.Until(deadline) < deadlineSkew {
		<-ctx.Done() // the transport may report the deadline first, as another error
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return asProblem(err)
}

const deadlineSkew = 100 * time.Millisecond

const (
	// verificationsID is the schedule of verifications, and with a time the ID of its runs.
	verificationsID = "verification"
	// verificationMissed is how late a scheduled run may start: the next one checks as much.
	verificationMissed = time.Minute
)

// ScheduleVerifications creates the schedule that checks the front page, or deletes it.
func (c *Client) ScheduleVerifications(ctx context.Context) error {
	if c.VerifyEvery <= 0 {
		return c.unschedule(ctx, verificationsID)
	}
	scheduled := every(c.VerifyEvery)
	scheduled.CatchupWindow = verificationMissed
	return c.schedule(ctx, verificationsID, scheduled, false, workflows.Verification, workflows.VerificationInput{})
}
