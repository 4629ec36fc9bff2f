package workflows

import (
	"context"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
)

// Task queues are divided by required resource, not by feature.
const (
	// QueueCore runs workflows and light activities.
	QueueCore = "core"
	// QueueEmail runs background work such as emails, a few at a time, so that it does not delay interactive
	// work.
	QueueEmail = "email"
	// QueueModels runs calls of language models, which take up to a minute. Their workflows are on QueueCore.
	QueueModels = "models"
	// QueueChaosTarget runs activities that need network access to the chaos target. Their workflows are on
	// QueueCore.
	QueueChaosTarget = "chaos-target"
	// QueueBrowser runs activities that need a browser, images or network access to the checked sites: a few
	// at a time, because they take much memory. Their workflows are on QueueCore.
	QueueBrowser = "browser"
)

// local is for steps that only use the database. They are retried until it is available: without
// ScheduleToCloseTimeout, the limit of one attempt would be that of all.
func local(ctx workflow.Context) workflow.Context {
	return workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		StartToCloseTimeout:    5 * time.Second,
		ScheduleToCloseTimeout: 365 * 24 * time.Hour,
		RetryPolicy:            retrying(100*time.Millisecond, 30*time.Second),
	})
}

// remote is for an external API call that is safe to repeat, retried for patience, or without limit if
// it is 0.
func remote(ctx workflow.Context, oneCall, patience time.Duration) workflow.Context {
	return at(ctx, "", oneCall, patience, retrying(time.Second, 30*time.Second))
}

// once is for work that must not be repeated: a call that is then reconciled, or one that costs money.
// It may wait for a worker for patience, or without limit if it is 0, because it has not happened before
// it starts. An empty queue is the workflow's.
func once(ctx workflow.Context, queue string, timeout, patience time.Duration) workflow.Context {
	return at(ctx, queue, timeout, patience, &temporal.RetryPolicy{MaximumAttempts: 1})
}

// atTarget is for a command to the chaos target that is safe to repeat, with short retry intervals. It
// is retried for patience, or without limit if it is 0.
func atTarget(ctx workflow.Context, oneCall, patience time.Duration) workflow.Context {
	return at(ctx, QueueChaosTarget, oneCall, patience, retrying(200*time.Millisecond, 5*time.Second))
}

// atBrowser is for work on the browser's queue that is safe to repeat, retried for patience.
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

// probing is for a long watch of the chaos target. A lost worker is detected by its heartbeat and
// replaced at once; one that is cancelled may save its probes.
func probing(ctx workflow.Context, longest time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           QueueChaosTarget,
		StartToCloseTimeout: longest,
		HeartbeatTimeout:    watchHeartbeat,
		WaitForCancellation: true,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, BackoffCoefficient: 1.5, MaximumInterval: 2 * time.Second},
	})
}

// opening is for a page opened in the browser, which may crash. A lost worker is detected by its
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

// startingSoon is for a screenshot that must be started at once or not at all.
func startingSoon(ctx workflow.Context, patience, beginWithin time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              QueueBrowser,
		ScheduleToStartTimeout: beginWithin,
		ScheduleToCloseTimeout: patience,
		RetryPolicy:            &temporal.RetryPolicy{MaximumAttempts: 1},
	})
}

// screenshotting is for screenshots of the chaos target at specific moments. A lost worker is replaced
// once: later there is nothing left to capture.
func screenshotting(ctx workflow.Context, longest time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              QueueBrowser,
		StartToCloseTimeout:    longest,
		ScheduleToCloseTimeout: 2 * longest,
		HeartbeatTimeout:       browserHeartbeat,
		RetryPolicy:            &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, MaximumAttempts: 2},
	})
}

// interactive is for an external API call that is safe to repeat, while a user waits: it runs in the
// worker that runs the workflow, because a round trip through Temporal would take several times as long
// as the call. patience bounds all attempts together; 0 tries sets no other bound.
func interactive(ctx workflow.Context, oneCall, patience time.Duration, tries int32) workflow.Context {
	return workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		StartToCloseTimeout:    oneCall,
		ScheduleToCloseTimeout: patience,
		RetryPolicy: &temporal.RetryPolicy{
			InitialInterval: 100 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 2 * time.Second, MaximumAttempts: tries,
		},
	})
}

// Limits of one call to an external server, including its client's own timeouts.
const (
	xTimeout      = 20 * time.Second
	stripeTimeout = 8 * time.Second
	modelTimeout  = 3 * time.Second
	emailTimeout  = 40 * time.Second
	wakePatience  = 10 * time.Minute
	// quotePatience is how long a buyer waits for each call of the payment service.
	quotePatience = 10 * time.Second
	// TargetTaskTimeout is the workflow task timeout of chaos workflows: a killed worker is replaced sooner than
	// after the default 10 seconds.
	TargetTaskTimeout = 3 * time.Second
	// watchHeartbeat is the heartbeat timeout of a watch.
	watchHeartbeat = 3 * time.Second
	// browserHeartbeat is the heartbeat timeout of a browser activity; it allows for a busy machine.
	browserHeartbeat = 20 * time.Second
)

// call runs an activity and waits for it. Unlike workflow.ExecuteActivity, which takes any, it is
// type-checked.
func call[In, Out any](ctx workflow.Context, activity func(context.Context, In) (Out, error), in In) (out Out, err error) {
	err = workflow.ExecuteActivity(ctx, activity, in).Get(ctx, &out)
	return out, err
}

// runLocal runs an activity that only uses the database in the worker that runs the workflow, without a
// round trip through Temporal.
func runLocal[In, Out any](ctx workflow.Context, activity func(context.Context, In) (Out, error), in In) (out Out, err error) {
	return runLocalWith(local(ctx), activity, in)
}

// runLocalWith is runLocal with the options of ctx.
func runLocalWith[In, Out any](ctx workflow.Context, activity func(context.Context, In) (Out, error), in In) (out Out, err error) {
	err = workflow.ExecuteLocalActivity(ctx, activity, in).Get(ctx, &out)
	return out, err
}
