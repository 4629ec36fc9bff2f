package workflows

import (
	"context"
	"errors"
	"slices"
	"time"

	"go.temporal.io/sdk/temporal"
	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

var postActivities *activities.Post // nil: only names activities

// PostInput identifies a stored post that has a slot.
type PostInput struct {
	PostID string
	Timing post.Timing
}

// PostResult is the outcome of a post. Status is never empty; it may be unknown.
type PostResult struct {
	Status   post.Status
	Attempts int
	Code     string
	TweetID  string
	URL      string
}

// PostID is the workflow ID of a post.
func PostID(id string) string { return "post:" + id }

// Post carries a post to its end: published or cancelled, or failed or unknown for a month. The row
// holds the state, so that a restarted run resumes from there. If the workflow is cancelled while it is
// unknown whether the post is public, it fails and leaves the post as it is.
func Post(ctx workflow.Context, in PostInput) (PostResult, error) {
	flow := &postFlow{in: in, mutex: workflow.NewMutex(ctx)}
	if err := flow.setHandlers(ctx); err != nil {
		return PostResult{}, err
	}
	var err error
	for err == nil && !flow.over {
		err = flow.advance(ctx)
		if temporal.IsCanceledError(err) { // an operator cancelled the workflow: cancel the post
			ctx, _ = workflow.NewDisconnectedContext(ctx)
			flow.givenUp, err = true, nil
		}
	}
	if err != nil {
		return PostResult{}, err
	}
	err = workflow.Await(ctx, func() bool { return workflow.AllHandlersFinished(ctx) })
	return flow.result(), err
}

// postFlow is a run's copy of the row. Only the holder of mutex changes it.
type postFlow struct {
	in           PostInput
	state        activities.PostState
	mutex        workflow.Mutex
	sending      bool      // PublishPost is running, or its outcome is being determined
	failedStarts int       // consecutive attempts that did not change the row
	resume       time.Time // earliest next attempt after a failed start
	changes      int       // number of commands carried out, checked by waits
	commands     int       // commands not yet answered
	givenUp      bool      // the workflow was cancelled
	over         bool
}

func (f *postFlow) result() PostResult {
	s := f.state
	return PostResult{Status: s.Status, Attempts: s.Attempt, Code: s.Code, TweetID: s.TweetID, URL: s.URL}
}

// advance does the next step for the post's status.
func (f *postFlow) advance(ctx workflow.Context) error {
	if !f.begun() {
		return f.step(ctx, postActivities.BeginPost)
	}
	switch f.state.Status {
	case post.StatusScheduled:
		if f.givenUp {
			return f.giveUp(ctx)
		}
		return f.publishWhenDue(ctx)
	case post.StatusArmed:
		return f.settle(ctx)
	case post.StatusFailed, post.StatusUnknown:
		if f.givenUp {
			return f.giveUp(ctx)
		}
		return f.awaitDecision(ctx)
	case post.StatusPublished, post.StatusCancelled:
		f.over = true
		return nil
	case post.StatusDraft:
	}
	return temporal.NewNonRetryableApplicationError("a draft has no run", "conflict", nil)
}

// publishWhenDue waits until the post is due, and sends it. A change restarts the wait.
func (f *postFlow) publishWhenDue(ctx workflow.Context) error {
	if wait := f.wait(ctx); wait > 0 {
		_, err := f.awaitChange(ctx, wait)
		return err
	}
	if err := f.mutex.Lock(ctx); err != nil {
		return err
	}
	defer f.mutex.Unlock()
	if f.state.Status != post.StatusScheduled || f.wait(ctx) > 0 {
		return nil // changed while waiting for the lock
	}
	return f.publish(ctx)
}

// wait is the time until the post is due.
func (f *postFlow) wait(ctx workflow.Context) time.Duration {
	due := slices.MaxFunc([]time.Time{f.state.DueAt, f.resume}, time.Time.Compare)
	return due.Sub(workflow.Now(ctx))
}

// publish makes one attempt. The caller holds the lock.
func (f *postFlow) publish(ctx workflow.Context) error {
	f.sending = true
	state, err := call(once(ctx, "", f.in.Timing.Close, 0), postActivities.PublishPost, activities.PublishPostInput{
		PostID: f.in.PostID, Attempt: f.state.Attempt + 1, Send: f.in.Timing.Send,
	})
	if temporal.IsCanceledError(err) {
		ctx, _ = workflow.NewDisconnectedContext(ctx)
		f.givenUp = true
	}
	if err != nil { // the row shows how far it got
		state, err = runLocal(ctx, postActivities.LoadPost, f.ref())
	}
	f.sending = state.Status == post.StatusArmed
	if pause := f.pause(ctx, state); pause > 0 {
		f.resume = workflow.Now(ctx).Add(pause)
	}
	return f.note(ctx, state, err)
}

// pause is how long to wait after an attempt, in addition to the row's time: that is by the clock of the
// worker, and one that is slow would retry at once without end.
func (f *postFlow) pause(ctx workflow.Context, state activities.PostState) time.Duration {
	if state.Attempt <= f.state.Attempt { // it did not change the row
		f.failedStarts++
		return post.Backoff(f.failedStarts)
	}
	f.failedStarts = 0
	soon := state.Status == post.StatusScheduled && !state.DueAt.After(workflow.Now(ctx))
	if !soon {
		return 0
	}
	return post.Backoff(state.Attempt)
}

// settle determines whether an armed post was published. It checks the timeline when no call can be
// running any more, and again before the post may be sent again.
func (f *postFlow) settle(ctx workflow.Context) error {
	if err := f.mutex.Lock(ctx); err != nil {
		return err
	}
	defer f.mutex.Unlock()
	f.sending = true
	timing, armed := f.in.Timing, f.armedAt(ctx)
	for check := 1; check <= 2 && f.state.Status == post.StatusArmed; check++ {
		checkAt := armed.Add(time.Duration(check) * timing.Settle)
		if err := workflow.Sleep(ctx, checkAt.Sub(workflow.Now(ctx))); err != nil {
			return err
		}
		state, err := call(remote(ctx, 2*timing.Close, timing.Look), postActivities.ReconcilePost, activities.ReconcilePostInput{
			PostID: f.in.PostID, Last: check == 2,
		})
		if temporal.IsCanceledError(err) {
			return err
		}
		if err != nil { // the timeline can't be read
			state, err = runLocal(ctx, postActivities.MarkPostUnknown, activities.MarkPostUnknownInput{PostID: f.in.PostID, Attempt: f.state.Attempt})
		}
		if err := f.note(ctx, state, err); err != nil {
			return err
		}
	}
	f.sending = false
	return nil
}

// armedAt is when the post was armed, by the clock of a worker. If that is impossible or too long ago,
// it is now, so that X always gets its full time.
func (f *postFlow) armedAt(ctx workflow.Context) time.Time {
	armed, now := f.state.ArmedAt, workflow.Now(ctx)
	if armed.After(now) || now.Sub(armed) >= f.in.Timing.Settle {
		return now
	}
	return armed
}

// awaitDecision waits a month for a decision on a failed or unknown post.
func (f *postFlow) awaitDecision(ctx workflow.Context) error {
	changed, err := f.awaitChange(ctx, post.RetryWindow)
	if err != nil || changed {
		return err
	}
	if err := f.mutex.Lock(ctx); err != nil { // a command in progress at the last moment still counts
		return err
	}
	defer f.mutex.Unlock()
	if !f.state.Status.Retryable() {
		return nil
	}
	f.over = true
	return f.step(ctx, postActivities.ClosePost)
}

// awaitChange waits until a command has changed the post, or until the time is up.
func (f *postFlow) awaitChange(ctx workflow.Context, wait time.Duration) (bool, error) {
	seen := f.changes
	return workflow.AwaitWithTimeout(ctx, wait, func() bool { return f.changes != seen })
}

func (f *postFlow) ref() activities.PostRef { return activities.PostRef{PostID: f.in.PostID} }

// giveUp cancels the post after the workflow was cancelled. If that is refused, it ends the run, unless
// a command has changed the post in between.
func (f *postFlow) giveUp(ctx workflow.Context) error {
	before := f.state.Status
	_, refusal := f.cancel(ctx)
	if refusal == nil || f.state.Status != before { // cancelled, or the row has changed
		return nil
	}
	// Ending now would leave waiting commands without an answer.
	if err := workflow.Await(ctx, func() bool { return f.commands == 0 }); err != nil {
		return err
	}
	if f.state.Status != before {
		f.givenUp = false
		return nil
	}
	return f.notCancelled(refusal)
}

// notCancelled ends a run whose post stays as it is. The run fails, because only a failed run may be
// followed by another, which the next command starts.
func (f *postFlow) notCancelled(reason error) error {
	return temporal.NewApplicationErrorWithOptions(
		"The post was not cancelled and is still "+string(f.state.Status)+". Retry or cancel it again.", string(problem.Unavailable),
		temporal.ApplicationErrorOptions{NonRetryable: true, Cause: reason, Details: []any{f.result()}})
}

// EngagementID is the ID of the schedule and, with a time, of its runs.
const EngagementID = "engagement"

// Engagement reads the metrics of recent posts, within the month's read budget.
func Engagement(ctx workflow.Context) (activities.ReadEngagementResult, error) {
	return call(remote(ctx, time.Minute, 10*time.Minute), postActivities.ReadEngagement, activities.NoInput{})
}

// Commands to a post. Each returns the post's state or a problem.
const (
	UpdateEdit       = "edit"       // with an EditCommand
	UpdateReschedule = "reschedule" // with a RescheduleCommand
	UpdateCancel     = "cancel"
	UpdateRetry      = "retry"
	// SignalRetryRequested is UpdateRetry for Temporal's UI, which can send signals.
	SignalRetryRequested = "retry-requested"
	// SignalWoken makes a post's run read its row again and resume; an experiment's row has changed.
	SignalWoken = "woken"
	// QueryState returns the run's copy of the row; pages read the database instead.
	QueryState = "state"
)

// EditCommand changes the text and, if given, the time.
type EditCommand struct {
	Text        string
	ScheduledAt *time.Time
	Version     *int
}

// RescheduleCommand changes the time.
type RescheduleCommand struct {
	ScheduledAt time.Time
	Version     *int
}

func (f *postFlow) setHandlers(ctx workflow.Context) error {
	validated := func(check any) workflow.UpdateHandlerOptions { return workflow.UpdateHandlerOptions{Validator: check} }
	err := errors.Join(
		workflow.SetUpdateHandlerWithOptions(ctx, UpdateEdit, f.edit, validated(func(EditCommand) error { return f.mayChange() })),
		workflow.SetUpdateHandlerWithOptions(ctx, UpdateReschedule, f.reschedule, validated(func(RescheduleCommand) error { return f.mayChange() })),
		workflow.SetUpdateHandlerWithOptions(ctx, UpdateCancel, f.cancel, validated(f.mayCancel)),
		workflow.SetUpdateHandlerWithOptions(ctx, UpdateRetry, f.retry, validated(f.mayRetry)),
		workflow.SetQueryHandler(ctx, QueryState, func() (activities.PostState, error) { return f.state, nil }),
	)
	f.onSignal(ctx, SignalRetryRequested, f.retry)
	f.onSignal(ctx, SignalWoken, f.wake)
	return err
}

// onSignal carries out a command that expects no answer.
func (f *postFlow) onSignal(ctx workflow.Context, name string, do func(workflow.Context) (activities.PostState, error)) {
	signals := workflow.GetSignalChannel(ctx, name)
	workflow.Go(ctx, func(ctx workflow.Context) {
		for signals.Receive(ctx, nil) {
			if _, err := do(ctx); err != nil {
				workflow.GetLogger(ctx).Warn("could not carry out a signal", "signal", name, "reason", err.Error())
			}
		}
	})
}

// wake reads the row again and clears the run's own wait. A post that waits for a decision or its time
// continues to wait.
func (f *postFlow) wake(ctx workflow.Context) (activities.PostState, error) {
	return command(ctx, f, func() error { return nil }, func(ctx workflow.Context) (activities.PostState, error) {
		f.failedStarts, f.resume = 0, time.Time{}
		return runLocal(ctx, postActivities.LoadPost, f.ref())
	})
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
			err = refuse(problem.PostClosed, "This post was published after all: it is on the timeline.")
		}
		return state, err
	})
}

func (f *postFlow) retry(ctx workflow.Context) (activities.PostState, error) {
	return command(ctx, f, f.mayRetry, func(ctx workflow.Context) (activities.PostState, error) {
		return call(remote(ctx, 2*f.in.Timing.Close, 3*f.in.Timing.Close), postActivities.RetryPost, f.ref())
	})
}

// command carries out a command once it holds the lock, if it is still allowed. Cancelling the workflow
// waits for it: a command that was interrupted might be carried out anyway.
func command(
	ctx workflow.Context, f *postFlow, allowed func() error,
	do func(workflow.Context) (activities.PostState, error),
) (activities.PostState, error) {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	f.commands++
	defer func() { f.commands-- }()
	// A command may arrive with the first workflow task, before the row was read.
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
	if err != nil { // it may have succeeded without an answer, so read the row
		if row, unread := runLocal(ctx, postActivities.LoadPost, f.ref()); unread == nil {
			f.changes++
			_ = f.note(ctx, row, nil)
		}
		return activities.PostState{}, err
	}
	f.changes++
	return state, f.note(ctx, state, nil)
}

func (f *postFlow) step(
	ctx workflow.Context, do func(context.Context, activities.PostRef) (activities.PostState, error),
) error {
	state, err := runLocal(ctx, do, f.ref())
	return f.note(ctx, state, err)
}

// note keeps the row's new state and updates the search attribute.
func (f *postFlow) note(ctx workflow.Context, state activities.PostState, err error) error {
	if err != nil {
		return err
	}
	known := !f.begun() && state.Status == post.StatusScheduled // the start has set it
	if state.Status != f.state.Status && !known {
		err = workflow.UpsertTypedSearchAttributes(ctx, PostStatus.ValueSet(string(state.Status)))
	}
	f.state = state
	return err
}

// begun reports whether the row was read. Until then validators accept every command, and it is checked
// later.
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
		return refuse(problem.PostArmed, "This post is already being sent and can't be changed. Its outcome will appear shortly.")
	}
	return refuse(problem.PostClosed, "This post is "+string(f.state.Status)+", so this is no longer possible.")
}

// refuse returns a problem as a Temporal error.
func refuse(code problem.Code, message string) error {
	return temporal.NewNonRetryableApplicationError(message, string(code), nil)
}
