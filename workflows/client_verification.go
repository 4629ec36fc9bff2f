package workflows

import (
	"context"
	"fmt"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/sdk/client"
)

// Verify starts the flow of a verification, and names its run. Safe to repeat.
func (c *Client) Verify(ctx context.Context, verificationID string) (runID string, err error) {
	run, err := c.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: VerificationID(verificationID), TaskQueue: QueueCore, EnableEagerStart: true,
		TypedSearchAttributes:    flowNamed("verification"),
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, Verification, VerificationInput{VerificationID: verificationID})
	if err != nil {
		return "", asProblem(err)
	}
	return run.GetRunID(), nil
}

// AwaitVerification returns when the run has ended, or ctx has: then with its error.
func (c *Client) AwaitVerification(ctx context.Context, verificationID, runID string) error {
	err := c.Temporal.GetWorkflow(ctx, VerificationID(verificationID), runID).Get(ctx, nil)
	if deadline, set := ctx.Deadline(); err != nil && set && time.Until(deadline) < atOnce {
		<-ctx.Done() // the transport may hear of it first, and says something else
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return asProblem(err)
}

const atOnce = 100 * time.Millisecond

// verificationsID names the schedule of verifications.
const verificationsID = "verification"

// verificationMissed is how late a run of the schedule may begin: the next one tells as much.
const verificationMissed = time.Minute

// KeepVerifications makes the schedule that looks at the front page every so often, like 15m;
// off, or nothing: none.
func (c *Client) KeepVerifications(ctx context.Context, every string) error {
	if every == "" || every == "off" {
		return noMatterIfGone(c.Temporal.ScheduleClient().GetHandle(ctx, verificationsID).Delete(ctx))
	}
	interval, err := time.ParseDuration(every)
	if err != nil || interval <= 0 {
		return fmt.Errorf("the page cannot be looked at every %q; write 15m, or off", every)
	}
	return c.schedule(ctx, client.ScheduleOptions{
		ID: verificationsID, Spec: client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: interval}}},
		CatchupWindow: verificationMissed,
		Action: &client.ScheduleWorkflowAction{
			ID: "verification-by-clock", Workflow: Verification, Args: []any{VerificationInput{}}, TaskQueue: QueueCore,
			TypedSearchAttributes: flowNamed("verification"),
		},
	})
}
