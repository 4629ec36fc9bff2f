package workflows

import (
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"
)

// Task queues are cut by what the work needs, not by feature.
const (
	// QueueCore carries workflows and light activities.
	QueueCore = "core"
	// QueuePatient carries what nobody waits for at the screen, such as letters, a few at a
	// time: many at once must not stand in the way of somebody who waits.
	QueuePatient = "patient"
	// QueueModels carries texts that language models write. One takes up to a minute, and
	// others must not wait behind it. Their flows are on QueueCore.
	QueueModels = "models"
	// QueueCell carries what needs the cell: watches take minutes, and must be where the cell
	// can be reached. Their flows are on QueueCore.
	QueueCell = "cell"
)

// local is for steps that touch only our own database. They are retried until it is back:
// left out, the time for all tries would be that of one.
func local(ctx workflow.Context) workflow.Context {
	return workflow.WithLocalActivityOptions(ctx, workflow.LocalActivityOptions{
		StartToCloseTimeout:    5 * time.Second,
		ScheduleToCloseTimeout: 365 * 24 * time.Hour,
		RetryPolicy:            &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second},
	})
}

// remote is for a call to somebody else's API that is safe to repeat, for as long as patience
// lasts; zero is for ever.
func remote(ctx workflow.Context, oneCall, patience time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout:    oneCall,
		ScheduleToCloseTimeout: patience,
		RetryPolicy:            &temporal.RetryPolicy{InitialInterval: time.Second, BackoffCoefficient: 2, MaximumInterval: 30 * time.Second},
	})
}

// once is for an act that must not be repeated: one attempt. It may wait for a worker as
// long as it takes: what has not begun has not happened.
func once(ctx workflow.Context, timeout time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		StartToCloseTimeout: timeout,
		RetryPolicy:         &temporal.RetryPolicy{MaximumAttempts: 1},
	})
}

// onceWithin is once for work on the models' queue that somebody waits for: it is not done
// when its turn comes too late.
func onceWithin(ctx workflow.Context, timeout, patience time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              QueueModels,
		StartToCloseTimeout:    timeout,
		ScheduleToCloseTimeout: patience,
		RetryPolicy:            &temporal.RetryPolicy{MaximumAttempts: 1},
	})
}

// atCell is for an order to the cell that is safe to repeat. Seconds count there. It is given
// up after patience; zero is never.
func atCell(ctx workflow.Context, oneCall, patience time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              QueueCell,
		StartToCloseTimeout:    oneCall,
		ScheduleToCloseTimeout: patience,
		RetryPolicy:            &temporal.RetryPolicy{InitialInterval: 200 * time.Millisecond, BackoffCoefficient: 2, MaximumInterval: 5 * time.Second},
	})
}

// onceAtCell is for an order to the cell that is not repeated: what comes next looks anew.
func onceAtCell(ctx workflow.Context, timeout, patience time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:              QueueCell,
		StartToCloseTimeout:    timeout,
		ScheduleToCloseTimeout: patience,
		RetryPolicy:            &temporal.RetryPolicy{MaximumAttempts: 1},
	})
}

// watching is for a look at the cell that takes long. A lost worker is missed after its
// heartbeat, and another one goes on at once; one that is told to stop may save what it saw.
func watching(ctx workflow.Context, longest time.Duration) workflow.Context {
	return workflow.WithActivityOptions(ctx, workflow.ActivityOptions{
		TaskQueue:           QueueCell,
		StartToCloseTimeout: longest,
		HeartbeatTimeout:    missedAfter,
		WaitForCancellation: true,
		RetryPolicy:         &temporal.RetryPolicy{InitialInterval: 100 * time.Millisecond, BackoffCoefficient: 1.5, MaximumInterval: 2 * time.Second},
	})
}

// hurried is for a call to somebody else's API that is safe to repeat, while a person waits:
// it is made in the worker that runs the flow. A round trip through Temporal for each would
// take several times as long as the call itself. patience is for all tries together;
// 0 tries are as many as it allows.
func hurried(ctx workflow.Context, oneCall, patience time.Duration, tries int32) workflow.Context {
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
	askX       = 20 * time.Second
	askStripe  = 8 * time.Second
	askModel   = 3 * time.Second
	oneLetter  = 40 * time.Second
	wakeWithin = 10 * time.Minute
	// quotePatience is how long a buyer waits for the payment service, for each step.
	quotePatience = 10 * time.Second
	// missedAfter is how long a watch may say nothing.
	missedAfter = 3 * time.Second
)
