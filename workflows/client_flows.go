package workflows

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
)

// lastMoments is how long a run that has ended for everybody takes to end for Temporal.
const lastMoments = 2 * time.Second

// StartChaos starts the flow of a chaos run, and names its run. While another run is under way
// it returns ChaosRunning.
func (c *Client) StartChaos(ctx context.Context, chaosID string) (runID string, err error) {
	runID, err = c.startChaos(ctx, chaosID)
	started, ok := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err)
	if !ok {
		return runID, asProblem(err)
	}
	if c.awaitChaos(ctx, started.RunId) {
		runID, err = c.startChaos(ctx, chaosID)
	}
	if _, ok := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); ok {
		return "", problem.New(problem.ChaosRunning, "A chaos run is under way. Look at it, and start yours when it has ended.")
	}
	return runID, asProblem(err)
}

func (c *Client) startChaos(ctx context.Context, chaosID string) (runID string, err error) {
	run, err := c.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: ChaosID, TaskQueue: QueueCore, EnableEagerStart: true, TypedSearchAttributes: flowNamed("chaos"),
		WorkflowTaskTimeout:                      thoughtWithin,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
	}, ChaosRun, ChaosInput{ChaosID: chaosID})
	if err != nil {
		return "", err
	}
	return run.GetRunID(), nil
}

// awaitChaos says whether a run has ended, after a moment at most.
func (c *Client) awaitChaos(ctx context.Context, runID string) bool {
	ctx, cancel := context.WithTimeout(ctx, lastMoments)
	defer cancel()
	_ = c.Temporal.GetWorkflow(ctx, ChaosID, runID).Get(ctx, nil)
	return ctx.Err() == nil
}

// StopChaos tells the run that is under way, if there is one, that chaos is switched off: it
// takes its fault back.
func (c *Client) StopChaos(ctx context.Context) error {
	return noMatterIfGone(c.Temporal.SignalWorkflow(ctx, ChaosID, "", SignalSwitchedOff, nil))
}

// CarriesChaos says whether a run of ours is under way still.
func (c *Client) CarriesChaos(ctx context.Context, runID string) (bool, error) {
	run, err := c.Temporal.DescribeWorkflowExecution(ctx, ChaosID, runID)
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	return run.WorkflowExecutionInfo.GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_RUNNING, nil
}

// EndChaosFlow ends a run by force.
func (c *Client) EndChaosFlow(ctx context.Context, runID string) error {
	return noMatterIfGone(c.Temporal.TerminateWorkflow(ctx, ChaosID, runID, "overdue; its sweep ends it"))
}

// SweepChaos ends a run that does not end itself.
func (c *Client) SweepChaos(ctx context.Context, chaosID string) error {
	_, err := c.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: ChaosSweepID(chaosID), TaskQueue: QueueCore, TypedSearchAttributes: flowNamed("chaos-sweep"),
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, ChaosSweep, ChaosInput{ChaosID: chaosID})
	return asProblem(err)
}

// KeepHealing makes the healer work. Safe to repeat.
func (c *Client) KeepHealing(ctx context.Context) error {
	_, err := c.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: SelfHealID, TaskQueue: QueueCore, EnableEagerStart: true, TypedSearchAttributes: flowNamed("self-heal"),
		WorkflowTaskTimeout:      thoughtWithin,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, SelfHeal, SelfHealState{})
	return asProblem(err)
}

// CheckHistory replays the stored history of a run with the code of today, and waits for it.
func (c *Client) CheckHistory(ctx context.Context, workflowID, runID string) (chaos.HistoryCheck, error) {
	var check chaos.HistoryCheck
	run, err := c.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: HistoryCheckID(workflowID, runID), TaskQueue: QueueCore, EnableEagerStart: true,
		TypedSearchAttributes:    flowNamed("history-check"),
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, HistoryCheck, HistoryCheckInput{WorkflowID: workflowID, RunID: runID})
	if err == nil {
		err = run.Get(ctx, &check)
	}
	return check, asProblem(err)
}

// gameDayMissed is how late a game day may begin: days that were missed are not made up for.
const gameDayMissed = 10 * time.Minute

// KeepGameDay makes the schedule of the game day as cron in UTC says; off, or nothing: none.
func (c *Client) KeepGameDay(ctx context.Context, cron string) error {
	if cron == "" || cron == "off" {
		return noMatterIfGone(c.Temporal.ScheduleClient().GetHandle(ctx, GameDayID).Delete(ctx))
	}
	return c.schedule(ctx, client.ScheduleOptions{
		ID: GameDayID, Spec: client.ScheduleSpec{CronExpressions: []string{cron}}, CatchupWindow: gameDayMissed,
		Action: &client.ScheduleWorkflowAction{
			ID: GameDayID, Workflow: GameDay, TaskQueue: QueueCore, TypedSearchAttributes: flowNamed("game-day"),
		},
	})
}

// noMatterIfGone is for orders to end what may have ended.
func noMatterIfGone(err error) error {
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		return nil
	}
	return asProblem(err)
}

// NotifyExperiment starts the flow of an experiment that became active, or tells the one there is
// that its row has changed. A run that ended well has counted the votes, and nothing follows it.
// Safe to repeat.
func (c *Client) NotifyExperiment(ctx context.Context, experimentID string) error {
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
