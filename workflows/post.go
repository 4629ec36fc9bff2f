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

// PostInput names a post whose row is already written, with its slot.
type PostInput struct {
	PostID string
	Timing post.Timing
}

// PostResult says what became of a post. Status is never empty: unknown is an answer.
type PostResult struct {
	Status   post.Status
	Attempts int
	Code     string
	TweetID  string
	URL      string
}

// PostID is the workflow ID of a post: one post, one flow.
func PostID(id string) string { return "post:" + id }

// Post carries one post to its end: published or cancelled, or failed or unknown and left
// so for a month. The row says where it stands, so that a run begun anew, after whatever
// accident, goes on from there. Cancelled in the console, a run that cannot tell whether
// its post is public fails, and leaves it as it is.
func Post(ctx workflow.Context, in PostInput) (PostResult, error) {
	flow := &postFlow{in: in, mutex: workflow.NewMutex(ctx)}
	if err := flow.listen(ctx); err != nil {
		return PostResult{}, err
	}
	var err error
	for err == nil && !flow.over {
		err = flow.advance(ctx)
		if temporal.IsCanceledError(err) { // asked for in the console: give the post up
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

// postFlow is a run's memory of the row. Only the holder of turn changes it.
type postFlow struct {
	in           PostInput
	state        activities.PostState
	mutex        workflow.Mutex
	sending      bool      // Publish is out, or we are looking for what it did
	failedStarts int       // tries in a row that did not even reach the row
	resume       time.Time // not before, after a stumble
	changes      int       // counts what people did, so that waits can notice
	commands     int       // given and not yet answered
	givenUp      bool      // cancelled in the console
	over         bool
}

func (f *postFlow) result() PostResult {
	s := f.state
	return PostResult{Status: s.Status, Attempts: s.Attempt, Code: s.Code, TweetID: s.TweetID, URL: s.URL}
}

// advance does the next thing that the post's status asks for.
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

// publishWhenDue waits until the post may go out, and sends it. A change by a person
// starts the wait over.
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
		return nil // changed while we waited for our turn
	}
	return f.publish(ctx)
}

// wait is the time left until the post may go out.
func (f *postFlow) wait(ctx workflow.Context) time.Duration {
	due := slices.MaxFunc([]time.Time{f.state.DueAt, f.resume}, time.Time.Compare)
	return due.Sub(workflow.Now(ctx))
}

// publish makes one attempt. The caller has the turn.
func (f *postFlow) publish(ctx workflow.Context) error {
	f.sending = true
	state, err := call(once(ctx, "", f.in.Timing.Close, 0), postActivities.PublishPost, activities.PublishPostInput{
		PostID: f.in.PostID, Attempt: f.state.Attempt + 1, Send: f.in.Timing.Send,
	})
	if temporal.IsCanceledError(err) {
		ctx, _ = workflow.NewDisconnectedContext(ctx)
		f.givenUp = true
	}
	if err != nil { // nobody told us how far it got: the row knows
		state, err = runLocal(ctx, postActivities.LoadPost, f.ref())
	}
	f.sending = state.Status == post.StatusArmed
	if pause := f.pause(ctx, state); pause > 0 {
		f.resume = workflow.Now(ctx).Add(pause)
	}
	return f.note(ctx, state, err)
}

// pause is how long to wait after an attempt, beside what the row says: that is by the clock of the
// worker that made it, and one that is behind would try again at once, and for ever.
func (f *postFlow) pause(ctx workflow.Context, state activities.PostState) time.Duration {
	if state.Attempt <= f.state.Attempt { // it did not even reach the row
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

// settle finds out whether an armed post went out. It looks when no call can be under way
// any more, and once again before the post may be sent again.
func (f *postFlow) settle(ctx workflow.Context) error {
	if err := f.mutex.Lock(ctx); err != nil {
		return err
	}
	defer f.mutex.Unlock()
	f.sending = true
	timing, armed := f.in.Timing, f.armedAt(ctx)
	for look := 1; look <= 2 && f.state.Status == post.StatusArmed; look++ {
		quiet := armed.Add(time.Duration(look) * timing.Settle)
		if err := workflow.Sleep(ctx, quiet.Sub(workflow.Now(ctx))); err != nil {
			return err
		}
		state, err := call(remote(ctx, 2*timing.Close, timing.Look), postActivities.ReconcilePost, activities.ReconcilePostInput{
			PostID: f.in.PostID, Last: look == 2,
		})
		if temporal.IsCanceledError(err) {
			return err
		}
		if err != nil { // the timeline cannot be read
			state, err = runLocal(ctx, postActivities.MarkPostUnknown, activities.MarkPostUnknownInput{PostID: f.in.PostID, Attempt: f.state.Attempt})
		}
		if err := f.note(ctx, state, err); err != nil {
			return err
		}
	}
	f.sending = false
	return nil
}

// armedAt is when the post was armed, by the clock of a worker. Where that cannot be, or is long ago,
// we count from now: whatever the clock says, X has the time that it may take.
func (f *postFlow) armedAt(ctx workflow.Context) time.Time {
	armed, now := f.state.ArmedAt, workflow.Now(ctx)
	if armed.After(now) || now.Sub(armed) >= f.in.Timing.Settle {
		return now
	}
	return armed
}

// awaitDecision leaves a failed or unknown post to people, for a month.
func (f *postFlow) awaitDecision(ctx workflow.Context) error {
	changed, err := f.awaitChange(ctx, post.RetryWindow)
	if err != nil || changed {
		return err
	}
	if err := f.mutex.Lock(ctx); err != nil { // an order under way at the last moment still counts
		return err
	}
	defer f.mutex.Unlock()
	if !f.state.Status.Retryable() {
		return nil
	}
	f.over = true
	return f.step(ctx, postActivities.ClosePost)
}

// awaitChange waits for a person to change the post, or until the time is up.
func (f *postFlow) awaitChange(ctx workflow.Context, wait time.Duration) (bool, error) {
	seen := f.changes
	return workflow.AwaitWithTimeout(ctx, wait, func() bool { return f.changes != seen })
}

func (f *postFlow) ref() activities.PostRef { return activities.PostRef{PostID: f.in.PostID} }

// giveUp is the order to cancel, given by cancelling the run in the console. What cannot be
// done ends the run, unless somebody decided otherwise meanwhile.
func (f *postFlow) giveUp(ctx workflow.Context) error {
	stood := f.state.Status
	_, refusal := f.cancel(ctx)
	if refusal == nil || f.state.Status != stood { // done, or the row had gone on: so do we
		return nil
	}
	// Ended now, the run would leave the orders that wait without an answer.
	if err := workflow.Await(ctx, func() bool { return f.commands == 0 }); err != nil {
		return err
	}
	if f.state.Status != stood {
		f.givenUp = false
		return nil
	}
	return f.kept(refusal)
}

// kept is the end of a run whose post stays as it is. The run fails, as only a run that
// failed may be followed by another, which the next order starts.
func (f *postFlow) kept(reason error) error {
	return temporal.NewApplicationErrorWithOptions(
		"The post was not given up. It stays "+string(f.state.Status)+"; retry or cancel it again.", string(problem.Unavailable),
		temporal.ApplicationErrorOptions{NonRetryable: true, Cause: reason, Details: []any{f.result()}})
}

// EngagementID names the schedule and, with a time, its runs.
const EngagementID = "engagement"

// Engagement reads how recent posts were received, inside the month's read budget.
func Engagement(ctx workflow.Context) (activities.ReadEngagementResult, error) {
	return call(remote(ctx, time.Minute, 10*time.Minute), postActivities.ReadEngagement, activities.NoInput{})
}

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

// EditCommand alters the text and, when a time is given, the time with it.
type EditCommand struct {
	Text        string
	ScheduledAt *time.Time
	Version     *int
}

// RescheduleCommand alters the time.
type RescheduleCommand struct {
	ScheduledAt time.Time
	Version     *int
}

// listen makes the run take orders.
func (f *postFlow) listen(ctx workflow.Context) error {
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

// onSignal carries out an order that has nobody to answer.
func (f *postFlow) onSignal(ctx workflow.Context, name string, do func(workflow.Context) (activities.PostState, error)) {
	signals := workflow.GetSignalChannel(ctx, name)
	workflow.Go(ctx, func(ctx workflow.Context) {
		for signals.Receive(ctx, nil) {
			if _, err := do(ctx); err != nil {
				workflow.GetLogger(ctx).Warn("a signal was not carried out", "signal", name, "reason", err.Error())
			}
		}
	})
}

// wake reads the row again and forgets why the run waited. A run that waits for people, or
// for its time, goes on waiting.
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

// command carries out what a person asked for, when it is its turn and still allowed. The
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
		return refuse(problem.PostArmed, "This post is already being sent and can't be changed. Its outcome will appear shortly.")
	}
	return refuse(problem.PostClosed, "This post is "+string(f.state.Status)+"; that cannot be done any more.")
}

// refuse is a problem in the form in which Temporal carries it.
func refuse(code problem.Code, message string) error {
	return temporal.NewNonRetryableApplicationError(message, string(code), nil)
}
