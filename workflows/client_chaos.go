package workflows

import (
	"context"
	"errors"
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
