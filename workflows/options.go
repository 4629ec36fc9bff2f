package workflows

import (
	"context"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
)

// Task queues are cut by what the work needs, not by feature.
const (
	// QueueCore carries workflows and light activities.
	QueueCore = "core"
	// QueueChaosTarget carries what nobody waits for at the screen, such as e-mails, a few at a
	// time: many at once must not stand in the way of somebody who waits.
	QueueEmail = "email"
	// QueueModels carries texts that language models write. One takes up to a minute, and
	// others must not wait behind it. Their flows are on QueueCore.
	QueueModels = "models"
	// QueueChaosTarget carries what needs the chaos target: watches take minutes, and must be where the chaos target
	// can be reached. Their flows are on QueueCore.
	QueueChaosTarget = "chaos-target"
	// QueueBrowser carries what needs a browser, pictures, or the way to our own sites: it takes
	// much memory, so it is done a few at a time. Their flows are on QueueCore.
	QueueBrowser = "browser"
)

// local is for steps that touch only our own database. They are retried until it is back:
// left out, the time for all tries would be that of one.
func local(ctx workflow.Context) workflow.Context {
	return workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		StartToCloseTimeout:    5 * time.Second,
		ScheduleToCloseTimeout: 365 * 24 * time.Hour,
		RetryPolicy:            retrying(100*time.Millisecond, 30*time.Second),
	})
}

// remote is for a call to somebody else's API that is safe to repeat, for as long as patience
// lasts; zero is for ever.
func remote(ctx workflow.Context, oneCall, patience time.Duration) workflow.Context {
	return at(ctx, "", oneCall, patience, retrying(time.Second, 30*time.Second))
}

// once is for work that must not be repeated: an act after which one looks, or a call that costs money.
// It may wait for a worker for as long as patience lasts, zero is for ever: what has not begun has not
// happened. No queue is that of the flow.
func once(ctx workflow.Context, queue string, timeout, patience time.Duration) workflow.Context {
	return at(ctx, queue, timeout, patience, &temporal.RetryPolicy{MaximumAttempts: 1})
}

// atTarget is for a command to the chaos target that is safe to repeat. Seconds count there. It is given
// up after patience; zero is never.
func atTarget(ctx workflow.Context, oneCall, patience time.Duration) workflow.Context {
	return at(ctx, QueueChaosTarget, oneCall, patience, retrying(200*time.Millisecond, 5*time.Second))
}

// atBrowser is for work on the browser's queue that is safe to repeat. It is given up after
// patience.
func atBrowser(ctx workflow.Context, oneCall, patience time.Duration) workflow.Context {
	return at(ctx, QueueBrowser, oneCall, patience, retrying(500*time.Millisecond, 10*time.Second))
}

func at(ctx workflow.Context, queue string, oneCall, patience time.Duration, retry *temporal.RetryPolicy) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue: queue, StartToCloseTimeout: oneCall, ScheduleToCloseTimeout: patience, RetryPolicy: retry,
	})
}

func retrying(first, longest time.Duration) *temporal.RetryPolicy {
	return &temporal.RetryPolicy{InitialInterval: first, BackoffCoefficient: 2, MaximumInterval: longest}
}

// probing is for a long watch of the chaos target. A lost worker is missed after its
// heartbeat, and another one goes on at once; one that is told to stop may save what it saw.
func probing(ctx workflow.Context, longest time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           QueueChaosTarget,
		StartToCloseTimeout: longest,
		HeartbeatTimeout:    watchHeartbeat,
		WaitForCancellation: true,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, BackoffCoefficient: 1.5, MaximumInterval: 2 * time.Second},
	})
}

// opening is for a page opened in the browser, which may die. A lost worker is missed after its
// heartbeat.
func opening(ctx workflow.Context, oneCall, patience time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              QueueBrowser,
		StartToCloseTimeout:    oneCall,
		ScheduleToCloseTimeout: patience,
		HeartbeatTimeout:       browserHeartbeat,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 500 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 5 * time.Second, MaximumAttempts: activities.CaptureTries,
		},
	})
}

// startingSoon is for a screenshot that must be started at once, or not at all.
func startingSoon(ctx workflow.Context, patience, beginWithin time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              QueueBrowser,
		ScheduleToStartTimeout: beginWithin,
		ScheduleToCloseTimeout: patience,
		RetryPolicy:            &temporal.RetryPolicy{MaximumAttempts: 1},
	})
}

// screenshotting is for screenshots of the chaos target, which wait for their moments. A lost worker has one
// successor: later there is nothing left to see.
func screenshotting(ctx workflow.Context, longest time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              QueueBrowser,
		StartToCloseTimeout:    longest,
		ScheduleToCloseTimeout: 2 * longest,
		HeartbeatTimeout:       browserHeartbeat,
		RetryPolicy:            &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, MaximumAttempts: 2},
	})
}

// interactive is for a call to a vendor's API that is safe to repeat, while a person waits:
// it is made in the worker that runs the flow. A round trip through Temporal for each would
// take several times as long as the call itself. patience is for all tries together;
// 0 tries are as many as it allows.
func interactive(ctx workflow.Context, oneCall, patience time.Duration, tries int32) workflow.Context {
	return workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		StartToCloseTimeout:    oneCall,
		ScheduleToCloseTimeout: patience,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 100 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 2 * time.Second, MaximumAttempts: tries,
		},
	})
}

// How long one call to somebody else's server may take, deadlines of its client included.
const (
	xTimeout      = 20 * time.Second
	stripeTimeout = 8 * time.Second
	modelTimeout  = 3 * time.Second
	emailTimeout  = 40 * time.Second
	wakePatience  = 10 * time.Minute
	// quotePatience is how long a buyer waits for the payment service, for each step.
	quotePatience = 10 * time.Second
	// TargetTaskTimeout is the workflow task timeout of flows of the chaos target: a worker that was
	// killed is replaced sooner than after the usual ten seconds.
	TargetTaskTimeout = 3 * time.Second
	// missedAfter is how long a watch may say nothing.
	watchHeartbeat = 3 * time.Second
	// lookMissedAfter is how long a look of the browser may say nothing. A busy machine needs its time, too.
	browserHeartbeat = 20 * time.Second
)

// call runs an activity and waits for it. The compiler checks in and out, which
// workflow.ExecuteActivity, taking any, does not.
func call[In, Out any](ctx workflow.Context, activity func(context.Context, In) (Out, error), in In) (out Out, err error) {
	err = workflow.ExecuteActivity(ctx, activity, in).Get(ctx, &out)
	return out, err
}

// runLocal runs an activity in the worker that runs the flow, without a round trip through
// Temporal: for steps that touch only our own database.
func runLocal[In, Out any](ctx workflow.Context, activity func(context.Context, In) (Out, error), in In) (out Out, err error) {
	return runLocalWith(local(ctx), activity, in)
}

// runLocalWith runs an activity there, too, for as long as ctx says: for steps that a person waits
// for.
func runLocalWith[In, Out any](ctx workflow.Context, activity func(context.Context, In) (Out, error), in In) (out Out, err error) {
	err = workflow.ExecuteLocalActivity(ctx, activity, in).Get(ctx, &out)
	return out, err
}
