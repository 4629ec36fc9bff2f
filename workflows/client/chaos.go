package client

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	sdk "go.temporal.io/sdk/client"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

// closeWithin is how long a run whose row has ended may take to end in Temporal.
const closeWithin = 2 * time.Second

// StartChaos starts the flow of a chaos run and returns its run ID. While another run is open it
// returns ChaosRunning.
func (c *Client) StartChaos(ctx context.Context, chaosID string) (runID string, err error) {
	o := c.eagerly(workflows.ChaosRunID)
	o.WorkflowTaskTimeout = workflows.TargetTaskTimeout
	o.WorkflowIDConflictPolicy, o.WorkflowExecutionErrorWhenAlreadyStarted = enums.WORKFLOW_ID_CONFLICT_POLICY_FAIL, true
	for try := 1; ; try++ {
		runID, err = c.start(ctx, o, workflows.ChaosRun, workflows.ChaosRunInput{ChaosID: chaosID})
		started, open := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err)
		switch {
		case !open:
			return runID, err
		case try == 1 && c.awaitChaos(ctx, started.RunId):
		default:
			return "", problem.New(problem.ChaosRunning, "Another chaos test is running. Start yours when it has ended.")
		}
	}
}

// awaitChaos reports whether a run ends within closeWithin.
func (c *Client) awaitChaos(ctx context.Context, runID string) bool {
	ctx, cancel := context.WithTimeout(ctx, closeWithin)
	defer cancel()
	_ = c.Temporal.GetWorkflow(ctx, workflows.ChaosRunID, runID).Get(ctx, nil)
	return ctx.Err() == nil
}

// StopChaos signals the open run, if there is one, that chaos is switched off: it reverts its fault.
func (c *Client) StopChaos(ctx context.Context) error {
	return unlessGone(c.Temporal.SignalWorkflow(ctx, workflows.ChaosRunID, "", workflows.SignalSwitchedOff, nil))
}

// ChaosOpen reports whether a chaos run is open.
func (c *Client) ChaosOpen(ctx context.Context, runID string) (bool, error) {
	run, err := c.Temporal.DescribeWorkflowExecution(ctx, workflows.ChaosRunID, runID)
	if isGone(err) {
		return false, nil
	}
	return run.GetWorkflowExecutionInfo().GetStatus() == enums.WORKFLOW_EXECUTION_STATUS_RUNNING, err
}

// TerminateChaos terminates a run.
func (c *Client) TerminateChaos(ctx context.Context, runID string) error {
	return unlessGone(c.Temporal.TerminateWorkflow(ctx, workflows.ChaosRunID, runID, "overdue; its sweep ends it"))
}

// SweepChaos ends a run that does not end itself.
func (c *Client) SweepChaos(ctx context.Context, chaosID string) error {
	_, err := c.start(ctx, options(workflows.ChaosSweepID(chaosID)), workflows.ChaosSweep, workflows.ChaosRunInput{ChaosID: chaosID})
	return err
}

// StartSelfHeal starts the self-heal flow, unless it is open.
func (c *Client) StartSelfHeal(ctx context.Context) error {
	o := c.eagerly(workflows.SelfHealID)
	o.WorkflowTaskTimeout = workflows.TargetTaskTimeout
	_, err := c.start(ctx, o, workflows.SelfHeal, workflows.SelfHealState{})
	return err
}

// CheckHistory replays the stored history of a run with the current code and waits for the result.
func (c *Client) CheckHistory(ctx context.Context, workflowID, runID string) (check chaos.HistoryCheck, err error) {
	err = c.run(ctx, c.eagerly(workflows.HistoryCheckID(workflowID, runID)), &check,
		workflows.HistoryCheck, workflows.HistoryCheckInput{WorkflowID: workflowID, RunID: runID})
	return check, err
}

// gameDayMissed is how late a game day may start: missed days are not made up for.
const gameDayMissed = 10 * time.Minute

// ScheduleGameDay creates the schedule of the game day, or deletes it.
func (c *Client) ScheduleGameDay(ctx context.Context) error {
	if c.GameDay == "" || c.GameDay == "off" {
		return c.unschedule(ctx, workflows.GameDayID)
	}
	return c.schedule(ctx, workflows.GameDayID, sdk.ScheduleOptions{
		Spec: sdk.ScheduleSpec{CronExpressions: []string{c.GameDay}}, CatchupWindow: gameDayMissed,
	}, false, workflows.GameDay)
}
