package workflows

import (
	"context"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// Orders that people give to a post. Each answers with the post's state, or with the
// problem that stands in the way.
const (
	UpdateEdit       = "edit"       // EditOrder
	UpdateReschedule = "reschedule" // RescheduleOrder
	UpdateCancel     = "cancel"
	UpdateRetry      = "retry"
	// SignalRetry is UpdateRetry for the console, which can send signals.
	SignalRetryRequested = "retry-requested"
	// SignalWake tells a run that waits that the bot may post again; an experiment's, that its row
	// has changed.
	SignalWoken = "woken"
	// QueryState shows what the run remembers; pages read the database instead.
	QueryState = "state"
)

// EditOrder alters the text and, when a time is given, the time with it.
type EditCommand struct {
	Text        string
	ScheduledAt *time.Time
	Version     *int
}

// RescheduleOrder alters the time.
type RescheduleCommand struct {
	ScheduledAt time.Time
	Version     *int
}

// listen makes the run take orders.
func (f *postFlow) listen(ctx workflow.Context) error {
	open, failed := f.mayChange, f.mayRetry
	err := workflow.SetUpdateHandlerWithOptions(ctx, UpdateEdit, f.edit,
		workflow.UpdateHandlerOptions{Validator: func(EditCommand) error { return open() }})
	if err != nil {
		return err
	}
	err = workflow.SetUpdateHandlerWithOptions(ctx, UpdateReschedule, f.reschedule,
		workflow.UpdateHandlerOptions{Validator: func(RescheduleCommand) error { return open() }})
	if err != nil {
		return err
	}
	err = workflow.SetUpdateHandlerWithOptions(ctx, UpdateCancel, f.cancel,
		workflow.UpdateHandlerOptions{Validator: f.mayCancel})
	if err != nil {
		return err
	}
	err = workflow.SetUpdateHandlerWithOptions(ctx, UpdateRetry, f.retry,
		workflow.UpdateHandlerOptions{Validator: failed})
	if err != nil {
		return err
	}
	f.listenForSignals(ctx)
	return workflow.SetQueryHandler(ctx, QueryState, func() (activities.PostState, error) { return f.state, nil })
}

func (f *postFlow) listenForSignals(ctx workflow.Context) {
	signals := workflow.GetSignalChannel(ctx, SignalRetryRequested)
	workflow.Go(ctx, func(ctx workflow.Context) {
		for signals.Receive(ctx, nil) {
			if _, err := f.retry(ctx); err != nil {
				workflow.GetLogger(ctx).Warn("the signalled retry was refused", "reason", err.Error())
			}
		}
	})
	wakes := workflow.GetSignalChannel(ctx, SignalWoken)
	workflow.Go(ctx, func(ctx workflow.Context) {
		for wakes.Receive(ctx, nil) {
			if err := f.wake(ctx); err != nil {
				workflow.GetLogger(ctx).Warn("the run was not woken", "reason", err.Error())
			}
		}
	})
}

// wake reads the row again and forgets why the run waited. A run that waits for people, or
// for its time, goes on waiting.
func (f *postFlow) wake(ctx workflow.Context) error {
	_, err := command(ctx, f, func() error { return nil }, func(ctx workflow.Context) (activities.PostState, error) {
		f.failedStarts, f.resume = 0, time.Time{}
		return runLocal(ctx, postActivities.LoadPost, f.ref())
	})
	return err
}

func (f *postFlow) edit(ctx workflow.Context, o EditCommand) (activities.PostState, error) {
	return command(ctx, f, f.mayChange, func(ctx workflow.Context) (activities.PostState, error) {
		return runLocal(ctx, postActivities.ChangePost, activities.ChangePostInput{
			PostID: f.in.PostID, Text: &o.Text, ScheduledAt: o.ScheduledAt, Version: o.Version,
		})
	})
}

func (f *postFlow) reschedule(ctx workflow.Context, o RescheduleCommand) (activities.PostState, error) {
	return command(ctx, f, f.mayChange, func(ctx workflow.Context) (activities.PostState, error) {
		return runLocal(ctx, postActivities.ChangePost, activities.ChangePostInput{
			PostID: f.in.PostID, ScheduledAt: &o.ScheduledAt, Version: o.Version,
		})
	})
}

func (f *postFlow) cancel(ctx workflow.Context) (activities.PostState, error) {
	return command(ctx, f, f.mayCancel, func(ctx workflow.Context) (activities.PostState, error) {
		if f.state.Status != post.StatusUnknown {
			return runLocal(ctx, postActivities.CancelPost, f.ref())
		}
		state, err := call(remote(ctx, 2*f.in.Timing.Close, 3*f.in.Timing.Close), postActivities.GiveUpPost, f.ref())
		if err == nil && state.Status == post.StatusPublished {
			err = refuse(problem.PostClosed, "This post went out after all: it is on the timeline.")
		}
		return state, err
	})
}

func (f *postFlow) retry(ctx workflow.Context) (activities.PostState, error) {
	return command(ctx, f, f.mayRetry, func(ctx workflow.Context) (activities.PostState, error) {
		return call(remote(ctx, 2*f.in.Timing.Close, 3*f.in.Timing.Close), postActivities.RetryPost, f.ref())
	})
}

// order carries out what a person asked for, when it is its turn and still allowed. The
// console's cancellation waits for it: cut off in the middle, it might be done all the same.
func command(
	ctx workflow.Context, f *postFlow, allowed func() error,
	do func(workflow.Context) (activities.PostState, error),
) (activities.PostState, error) {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	f.commands++
	defer func() { f.commands-- }()
	// An order may come with the very first task, before the row was read.
	if err := workflow.Await(ctx, f.begun); err != nil {
		return activities.PostState{}, err
	}
	if err := f.mutex.Lock(ctx); err != nil {
		return activities.PostState{}, err
	}
	defer f.mutex.Unlock()
	if err := allowed(); err != nil {
		return activities.PostState{}, err
	}
	state, err := do(ctx)
	if err != nil { // it may be done all the same, its answer lost: the row knows
		if row, unread := runLocal(ctx, postActivities.LoadPost, f.ref()); unread == nil {
			f.changes++
			_ = f.note(ctx, row, nil)
		}
		return activities.PostState{}, err
	}
	f.changes++
	return state, f.note(ctx, state, nil)
}

// step does something to the post that needs no more than its name.
func (f *postFlow) step(
	ctx workflow.Context, do func(context.Context, activities.PostRef) (activities.PostState, error),
) error {
	state, err := runLocal(ctx, do, f.ref())
	return f.note(ctx, state, err)
}

// note remembers the row's new state and shows it in the console's search attributes.
func (f *postFlow) note(ctx workflow.Context, state activities.PostState, err error) error {
	if err != nil {
		return err
	}
	known := !f.begun() && state.Status == post.StatusScheduled // the start said so already
	if state.Status != f.state.Status && !known {
		err = workflow.UpsertTypedSearchAttributes(ctx, PostStatus.ValueSet(string(state.Status)))
	}
	f.state = state
	return err
}

// begun says that the row was read. Until then every order is let in, and judged later.
func (f *postFlow) begun() bool { return f.state.Status != "" }

func (f *postFlow) mayChange() error {
	if f.begun() && (f.state.Status != post.StatusScheduled || f.sending) {
		return f.refusal()
	}
	return nil
}

func (f *postFlow) mayCancel() error {
	if f.begun() && (f.sending || !f.state.Status.Cancellable()) {
		return f.refusal()
	}
	return nil
}

func (f *postFlow) mayRetry() error {
	if f.begun() && (f.over || !f.state.Status.Retryable()) {
		return f.refusal()
	}
	return nil
}

func (f *postFlow) refusal() error {
	if f.sending {
		return refuse(problem.PostArmed, "This post is being sent. Wait a moment to see what came of it.")
	}
	return refuse(problem.PostClosed, "This post is "+string(f.state.Status)+"; that cannot be done any more.")
}

// refuse is a problem in the form in which Temporal carries it.
func refuse(code problem.Code, message string) error {
	return temporal.NewNonRetryableApplicationError(message, string(code), nil)
}
