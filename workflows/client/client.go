// Package client starts, signals and reads workflows: it alone calls the Temporal server. Its
// callers never name a workflow ID, a task queue, an update or a signal.
package client

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/rs/xid"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	sdk "go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/checkout"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/workflows"
)

// Client starts flows and sends commands to open runs.
type Client struct {
	Temporal sdk.Client
	Timing   post.Timing
	// ReconcileEvery is the interval between searches for payments whose webhook never came.
	ReconcileEvery time.Duration
	// OfferLife is how long a price can be paid; checkout.OfferLife if 0.
	OfferLife time.Duration
	// GameDay is when one random fault is injected, as cron in UTC; never if off or empty.
	GameDay string
	// VerifyEvery is the interval between checks of the front page; never if 0.
	VerifyEvery time.Duration
	// Queued makes every run start in the current worker build. With an eager start it would start in the
	// process that requests it, whatever its build: Temporal does not check.
	Queued bool
	// Within bounds each call that starts or commands a post's run; startWithin and commandWithin if 0.
	Within time.Duration
}

// Limits of calls to a Temporal server that does not answer. The dispatcher starts the run later.
const (
	startWithin   = 10 * time.Second
	commandWithin = 20 * time.Second
)

// options start a run on the core queue, unless one with this ID is open.
func options(id string) sdk.StartWorkflowOptions {
	return sdk.StartWorkflowOptions{
		ID: id, TaskQueue: workflows.QueueCore, TypedSearchAttributes: workflows.FlowOf(id),
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}
}

// eagerly lets a worker of this process take the first task without a round trip.
func (c *Client) eagerly(id string) sdk.StartWorkflowOptions {
	o := options(id)
	o.EnableEagerStart = !c.Queued
	return o
}

// start starts a run, or finds the open one, and returns its run ID.
func (c *Client) start(ctx context.Context, o sdk.StartWorkflowOptions, flow any, in ...any) (runID string, err error) {
	run, err := c.Temporal.ExecuteWorkflow(ctx, o, flow, in...)
	if err != nil {
		return "", asProblem(err)
	}
	return run.GetRunID(), nil
}

// run starts a run and waits for its end, and for its result unless out is nil.
func (c *Client) run(ctx context.Context, o sdk.StartWorkflowOptions, out, flow any, in ...any) error {
	run, err := c.Temporal.ExecuteWorkflow(ctx, o, flow, in...)
	if err == nil {
		err = run.Get(ctx, out)
	}
	return asProblem(err)
}

// startAndUpdate starts a run and waits for the answer to an update, which may come long before its end.
func (c *Client) startAndUpdate(ctx context.Context, o sdk.StartWorkflowOptions, update string, flow any, in ...any) error {
	handle, err := c.Temporal.UpdateWithStartWorkflow(ctx, sdk.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: c.Temporal.NewWithStartWorkflowOperation(o, flow, in...),
		UpdateOptions:          sdk.UpdateWorkflowOptions{UpdateName: update, WaitForStage: sdk.WorkflowUpdateStageCompleted},
	})
	if err == nil {
		err = handle.Get(ctx, nil)
	}
	return asProblem(err)
}

// update waits for the answer of an open run.
func (c *Client) update(ctx context.Context, workflowID, name string, args ...any) error {
	handle, err := c.Temporal.UpdateWorkflow(ctx, sdk.UpdateWorkflowOptions{
		WorkflowID: workflowID, UpdateName: name, Args: args, WaitForStage: sdk.WorkflowUpdateStageCompleted,
	})
	if err == nil {
		err = handle.Get(ctx, nil)
	}
	return err
}

// RunCanary runs a canary flow to its end.
func (c *Client) RunCanary(ctx context.Context) error { return c.runCanary(ctx, nil) }

func (c *Client) runCanary(ctx context.Context, where sdk.VersioningOverride) error {
	o := c.eagerly("canary:" + xid.New().String())
	o.WorkflowExecutionTimeout, o.VersioningOverride = 10*time.Second, where
	return c.run(ctx, o, nil, workflows.Canary)
}

// Ping returns an error if Temporal does not answer.
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.Temporal.CheckHealth(ctx, &sdk.CheckHealthRequest{})
	return err
}

// cleanupEvery is the interval between removals of old verifications.
const cleanupEvery = 30 * time.Minute

// EnsureSchedules creates the schedules of the flows that run by the clock, or updates their times. Those in known
// exist and are left alone.
func (c *Client) EnsureSchedules(ctx context.Context, known map[string]bool) error {
	var failed []error
	for _, s := range []struct {
		id     string
		ensure func(context.Context) error
	}{
		{workflows.EngagementID, c.clock(workflows.EngagementID, 15*time.Minute, workflows.Engagement)},
		{workflows.PaymentReconciliationID, c.clock(workflows.PaymentReconciliationID, c.ReconcileEvery, workflows.PaymentReconciliation)},
		{workflows.GameDayID, c.ScheduleGameDay},
		{verificationsID, c.ScheduleVerifications},
		{workflows.VerificationCleanupID, c.clock(workflows.VerificationCleanupID, cleanupEvery, workflows.VerificationCleanup)},
	} {
		if !known[s.id] {
			failed = append(failed, s.ensure(ctx))
		}
	}
	return errors.Join(failed...)
}

func (c *Client) clock(id string, interval time.Duration, flow any) func(context.Context) error {
	return func(ctx context.Context) error { return c.schedule(ctx, id, every(interval), false, flow) }
}

// Schedules lists the IDs of all schedules.
func (c *Client) Schedules(ctx context.Context) (map[string]bool, error) {
	found, err := c.Temporal.ScheduleClient().List(ctx, sdk.ScheduleListOptions{PageSize: 1000})
	ids := map[string]bool{}
	for err == nil && found.HasNext() {
		var s *sdk.ScheduleListEntry
		if s, err = found.Next(); err == nil {
			ids[s.ID] = true
		}
	}
	return ids, err
}

func every(interval time.Duration) sdk.ScheduleOptions {
	return sdk.ScheduleOptions{Spec: sdk.ScheduleSpec{Intervals: []sdk.ScheduleIntervalSpec{{Every: interval}}}}
}

// schedule creates a schedule whose runs never overlap, or updates its times, and with pause also
// whether it is paused: otherwise only operators decide that.
func (c *Client) schedule(ctx context.Context, id string, wanted sdk.ScheduleOptions, pause bool, flow any, in ...any) error {
	wanted.ID, wanted.Overlap = id, enums.SCHEDULE_OVERLAP_POLICY_SKIP
	wanted.Action = &sdk.ScheduleWorkflowAction{
		ID: id, Workflow: flow, Args: in, TaskQueue: workflows.QueueCore, TypedSearchAttributes: workflows.FlowOf(id),
	}
	_, err := c.Temporal.ScheduleClient().Create(ctx, wanted)
	if !errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return asProblem(err)
	}
	return asProblem(c.Temporal.ScheduleClient().GetHandle(ctx, id).Update(ctx, sdk.ScheduleUpdateOptions{
		DoUpdate: func(known sdk.ScheduleUpdateInput) (*sdk.ScheduleUpdate, error) {
			known.Description.Schedule.Spec = &wanted.Spec
			if pause {
				known.Description.Schedule.State.Paused = wanted.Paused
			}
			return &sdk.ScheduleUpdate{Schedule: &known.Description.Schedule}, nil
		},
	}))
}

func (c *Client) unschedule(ctx context.Context, id string) error {
	return unlessGone(c.Temporal.ScheduleClient().GetHandle(ctx, id).Delete(ctx))
}

// isGone reports whether no run or schedule has the ID.
func isGone(err error) bool {
	_, gone := errors.AsType[*serviceerror.NotFound](err)
	return gone
}

// unlessGone ignores that a run or schedule to be ended has already ended.
func unlessGone(err error) error {
	if isGone(err) {
		return nil
	}
	return asProblem(err)
}

// asProblem converts Temporal's errors to problems.
func asProblem(err error) error {
	if err == nil {
		return nil
	}
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok && problem.Known(app.Type()) {
		return problem.New(problem.Code(app.Type()), "%s", app.Message())
	}
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok && strings.HasPrefix(app.Type(), checkout.ErrorPrefix) {
		return problem.New(problem.Conflict, "%s", app.Message())
	}
	_, terminated := errors.AsType[*temporal.TerminatedError](err)
	_, cancelled := errors.AsType[*temporal.CanceledError](err)
	_, away := errors.AsType[*serviceerror.Unavailable](err)
	_, late := errors.AsType[*temporal.TimeoutError](err)
	_, expired := errors.AsType[*serviceerror.DeadlineExceeded](err)
	_, unanswered := errors.AsType[*sdk.WorkflowUpdateServiceTimeoutOrCanceledError](err)
	switch {
	case isGone(err):
		return problem.New(problem.PostClosed, "This post's run has ended, so this is no longer possible.")
	case terminated, cancelled:
		return problem.New(problem.Unavailable, "The workflow run was stopped before it ended. Check whether the request succeeded before retrying.")
	case away:
		return problem.New(problem.Unavailable, "The workflow service is unavailable. Try again in a moment.")
	case isBusy(err):
		return problem.New(problem.Unavailable, "The workflow service is busy. Try again in a moment.")
	case late:
		return problem.New(problem.Unavailable, "The request timed out. Check whether it succeeded before retrying.")
	case expired, unanswered, errors.Is(err, context.DeadlineExceeded):
		return problem.New(problem.Unavailable, "No worker answered in time. Check whether the request succeeded before retrying.")
	}
	return err
}

// isBusy reports whether Temporal refuses a request temporarily: a task of the run failed or timed out
// repeatedly, or the run has more requests than it accepts.
func isBusy(err error) bool {
	_, unanswered := errors.AsType[*serviceerror.WorkflowNotReady](err)
	_, overrun := errors.AsType[*serviceerror.ResourceExhausted](err)
	return unanswered || overrun
}
