package workflows

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/rs/xid"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/temporal"

	"customerzero/activities"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// Client starts flows and talks to running ones. Its callers never spell a workflow ID,
// a queue, an update or a signal.
type Client struct {
	Temporal client.Client
	Timing   post.Timing
	// ReconcileEvery is how often payments are looked for whose webhook never came.
	ReconcileEvery time.Duration
	// OfferLife is how long a price can be paid; 0: checkout.OfferLife.
	OfferLife time.Duration
	// GameDay is when one random fault is run, as cron in UTC; off, or nothing: never.
	GameDay string
	// VerifyEvery is how often the front page is looked at, like 15m; off, or nothing: never.
	VerifyEvery string
	// Within bounds each call that starts or commands a run; 0: startWithin and orderWithin.
	Within time.Duration
}

// A Temporal that takes calls and says nothing keeps nobody for longer than this. A run that is not
// started so is started by the starter.
const (
	startWithin = 10 * time.Second
	orderWithin = 20 * time.Second
)

// StartPost starts the flow of a scheduled post, and says which run carries it. A post
// that has a run keeps it; one whose run was ended by force gets a new one, and so does one
// that was restored after its run had ended.
func (c *Client) StartPost(ctx context.Context, p post.Post) (runID string, err error) {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Within, startWithin))
	defer cancel()
	attributes := []temporal.SearchAttributeUpdate{
		Flow.ValueSet("post"), PostStatus.ValueSet(string(post.StatusScheduled)),
	}
	if p.MemberID != nil {
		attributes = append(attributes, MemberID.ValueSet(*p.MemberID))
	}
	run, err := c.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: PostID(p.ID), TaskQueue: QueueCore, EnableEagerStart: true,
		WorkflowIDReusePolicy:                    afterItsEnd(p),
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		TypedSearchAttributes:                    temporal.NewSearchAttributes(attributes...),
	}, Post, PostInput{PostID: p.ID, Timing: c.Timing})
	if started, ok := errors.AsType[*serviceerror.WorkflowExecutionAlreadyStarted](err); ok {
		return started.RunId, nil
	}
	if err != nil {
		return "", asProblem(err)
	}
	return run.GetRunID(), nil
}

// afterItsEnd says which runs may be followed by another. A run that ended well has brought
// its post to an end, unless the post was restored since: then it holds another slot than its
// first, and its row names no run. A row that names none may be read while its first run ends.
func afterItsEnd(p post.Post) enums.WorkflowIdReusePolicy {
	if p.RunID == "" && p.Reservation > 1 {
		return enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE
	}
	return enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE_FAILED_ONLY
}

// EditPost alters a post's text, and its time when one is given.
func (c *Client) EditPost(ctx context.Context, p post.Post, o EditOrder) error {
	return c.order(ctx, p, UpdateEdit, o)
}

// ReschedulePost alters a post's time.
func (c *Client) ReschedulePost(ctx context.Context, p post.Post, o RescheduleOrder) error {
	return c.order(ctx, p, UpdateReschedule, o)
}

// CancelPost gives a post up.
func (c *Client) CancelPost(ctx context.Context, p post.Post) error {
	return c.order(ctx, p, UpdateCancel)
}

// RetryPost tries a failed or unknown post again, after looking for it.
func (c *Client) RetryPost(ctx context.Context, p post.Post) error {
	return c.order(ctx, p, UpdateRetry)
}

// WakePost tells a post's run that what it waited for has come. A post without a run gets
// one from the starter.
func (c *Client) WakePost(ctx context.Context, p post.Post) error {
	err := c.Temporal.SignalWorkflow(ctx, PostID(p.ID), "", SignalWake, nil)
	if _, gone := errors.AsType[*serviceerror.NotFound](err); gone {
		return nil
	}
	return err
}

// order gives a post's run an order. A post whose run was lost, or has yet to be started,
// gets one first.
func (c *Client) order(ctx context.Context, p post.Post, name string, args ...any) error {
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(c.Within, orderWithin))
	defer cancel()
	err := c.update(ctx, p.ID, name, args...)
	if _, gone := errors.AsType[*serviceerror.NotFound](err); !gone {
		return asProblem(err)
	}
	if _, err := c.StartPost(ctx, p); err != nil {
		return err
	}
	return asProblem(c.update(ctx, p.ID, name, args...))
}

func (c *Client) update(ctx context.Context, id, name string, args ...any) error {
	handle, err := c.Temporal.UpdateWorkflow(ctx, client.UpdateWorkflowOptions{
		WorkflowID: PostID(id), UpdateName: name, Args: args, WaitForStage: client.WorkflowUpdateStageCompleted,
	})
	if err != nil {
		return err
	}
	var state activities.PostState
	return handle.Get(ctx, &state)
}

// RunCanary runs a canary flow to its end.
func (c *Client) RunCanary(ctx context.Context) error { return c.runCanary(ctx, nil) }

func (c *Client) runCanary(ctx context.Context, where client.VersioningOverride) error {
	run, err := c.Temporal.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: "canary:" + xid.New().String(), TaskQueue: QueueCore, EnableEagerStart: true,
		WorkflowExecutionTimeout: 10 * time.Second, VersioningOverride: where,
	}, Canary)
	if err != nil {
		return err
	}
	return run.Get(ctx, nil)
}

// Ping says whether Temporal answers.
func (c *Client) Ping(ctx context.Context) error {
	_, err := c.Temporal.CheckHealth(ctx, &client.CheckHealthRequest{})
	return err
}

// KeepSchedules makes what runs by the clock run.
func (c *Client) KeepSchedules(ctx context.Context) error {
	return errors.Join(
		c.keepSchedule(ctx, EngagementID, "engagement", Engagement, 15*time.Minute),
		c.keepSchedule(ctx, ReconcilePaymentsID, "reconcile-payments", ReconcilePayments, c.ReconcileEvery),
		c.KeepGameDay(ctx, c.GameDay),
		c.KeepVerifications(ctx, c.VerifyEvery),
		c.keepSchedule(ctx, VerificationTidyID, "verification-tidy", VerificationTidy, tidyEvery),
	)
}

// keepSchedule makes a schedule, or brings one that is there up to date.
func (c *Client) keepSchedule(ctx context.Context, id, flow string, run any, every time.Duration) error {
	return c.schedule(ctx, client.ScheduleOptions{
		ID: id, Spec: client.ScheduleSpec{Intervals: []client.ScheduleIntervalSpec{{Every: every}}},
		Action: &client.ScheduleWorkflowAction{
			ID: id, Workflow: run, TaskQueue: QueueCore, TypedSearchAttributes: flowNamed(flow),
		},
	})
}

// schedule makes a schedule whose runs never overlap, or brings the times of one that is there
// up to date.
func (c *Client) schedule(ctx context.Context, wanted client.ScheduleOptions) error {
	wanted.Overlap = enums.SCHEDULE_OVERLAP_POLICY_SKIP
	_, err := c.Temporal.ScheduleClient().Create(ctx, wanted)
	if !errors.Is(err, temporal.ErrScheduleAlreadyRunning) {
		return err
	}
	return c.Temporal.ScheduleClient().GetHandle(ctx, wanted.ID).Update(ctx, client.ScheduleUpdateOptions{
		DoUpdate: func(known client.ScheduleUpdateInput) (*client.ScheduleUpdate, error) {
			known.Description.Schedule.Spec = &wanted.Spec
			return &client.ScheduleUpdate{Schedule: &known.Description.Schedule}, nil
		},
	})
}

// asProblem turns Temporal's refusals into ours.
func asProblem(err error) error {
	if err == nil {
		return nil
	}
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok && problem.Known(app.Type()) {
		return problem.New(problem.Code(app.Type()), "%s", app.Message())
	}
	if _, ok := errors.AsType[*serviceerror.NotFound](err); ok {
		return problem.New(problem.PostClosed, "This post's run has ended; that cannot be done any more.")
	}
	if _, ok := errors.AsType[*serviceerror.Unavailable](err); ok {
		return problem.New(problem.Unavailable, "The workflow service cannot be reached. Try again in a moment.")
	}
	if isBusy(err) {
		return problem.New(problem.Unavailable, "The workflow service could not see to this run just now. Try again in a moment.")
	}
	if _, ok := errors.AsType[*temporal.TimeoutError](err); ok {
		return problem.New(problem.Unavailable, "This was not done in time. Look whether it happened before you repeat it.")
	}
	_, late := errors.AsType[*serviceerror.DeadlineExceeded](err)
	if _, ok := errors.AsType[*client.WorkflowUpdateServiceTimeoutOrCanceledError](err); ok || late || errors.Is(err, context.DeadlineExceeded) {
		return problem.New(problem.Unavailable, "No worker answered in time. Look whether it happened before you repeat this.")
	}
	return err
}

// isBusy says whether Temporal refuses for a moment: a task of the run failed or was left unanswered
// again and again, so that nobody may wait for it, or more is asked of a run than it lets in.
func isBusy(err error) bool {
	_, unanswered := errors.AsType[*serviceerror.WorkflowNotReady](err)
	_, overrun := errors.AsType[*serviceerror.ResourceExhausted](err)
	return unanswered || overrun
}
