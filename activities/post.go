package activities

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// Post holds the activities of posts. Workflows use the zero value to name activities; the worker builds
// the real one.
type Post struct {
	Posts    PostStore
	Accounts Accounts
	Timing   post.Timing // bounds that of a run's input, which an operator may have written; none if 0
	Now      func() time.Time
}

// PostStore stores posts. *store.Posts implements it.
type PostStore interface {
	Post(ctx context.Context, id string) (post.Post, error)
	BeginPost(ctx context.Context, id, runID string) (post.Post, error)
	ChangePost(ctx context.Context, id string, c post.Change, now time.Time) (post.Post, error)
	CancelPost(ctx context.Context, id string, now time.Time) (post.Post, error)
	ArmPost(ctx context.Context, id string, attempt int, connectionID string, now time.Time) (post.Post, error)
	DelayPost(ctx context.Context, id, code, reason string, until time.Time) (post.Post, error)
	ConcludePost(ctx context.Context, id string, v post.Verdict, now time.Time) (post.Post, error)
	FindPost(ctx context.Context, id string, v post.Verdict, now time.Time) (post.Post, error)
	DoubtPost(ctx context.Context, id string, attempt int, code, reason string) (post.Post, error)
	ReopenPost(ctx context.Context, id string, now time.Time) (post.Post, error)
	ClosePost(ctx context.Context, id string) (post.Post, error)
	ClaimedTweets(ctx context.Context, tweetIDs []string) (map[string]bool, error)
	MayBePublished(ctx context.Context, p post.Post) (bool, error)
	CountReconciliationRead(ctx context.Context, now time.Time) error
	ReserveReadings(ctx context.Context, limit int, now time.Time) ([]post.Reading, error)
	SaveMetrics(ctx context.Context, r post.Reading, m *post.Metrics, now time.Time) error
}

// PostState is what the workflow needs to know of a post. Texts stay in the database.
type PostState struct {
	Status   post.Status
	MemberID string
	DueAt    time.Time
	ArmedAt  time.Time
	Attempt  int
	Code     string
	TweetID  string
	URL      string
}

func stateOf(p post.Post) PostState {
	s := PostState{Status: p.Status, DueAt: p.DueAt(), Attempt: p.Attempt, Code: p.Code, URL: p.URL}
	if p.MemberID != nil {
		s.MemberID = *p.MemberID
	}
	if p.ArmedAt != nil {
		s.ArmedAt = *p.ArmedAt
	}
	if p.TweetID != nil {
		s.TweetID = *p.TweetID
	}
	return s
}

func postState(p post.Post, err error) (PostState, error) { return stateOf(p), err }

type PostRef struct{ PostID string }

// BeginPost reads the post and stores its run.
func (a *Post) BeginPost(ctx context.Context, in PostRef) (PostState, error) {
	return postState(a.Posts.BeginPost(ctx, in.PostID, activity.GetInfo(ctx).WorkflowExecution.RunID))
}

// LoadPost reads the state of a post.
func (a *Post) LoadPost(ctx context.Context, in PostRef) (PostState, error) {
	return postState(a.Posts.Post(ctx, in.PostID))
}

type ChangePostInput struct {
	PostID      string
	Text        *string
	ScheduledAt *time.Time
	Version     *int
}

// ChangePost changes text or time, unless the post is being sent. The input may come directly from
// Temporal's UI, so it is validated here too.
func (a *Post) ChangePost(ctx context.Context, in ChangePostInput) (PostState, error) {
	now := a.Now()
	if in.Text != nil {
		if err := post.CheckText(*in.Text); err != nil {
			return PostState{}, err
		}
	}
	if in.ScheduledAt != nil {
		if _, err := post.CheckWhen(*in.ScheduledAt, now); err != nil {
			return PostState{}, err
		}
	}
	change := post.Change{Text: in.Text, ScheduledAt: in.ScheduledAt, Version: in.Version}
	return postState(a.Posts.ChangePost(ctx, in.PostID, change, now))
}

// CancelPost cancels the post, unless it is being sent. Safe to repeat.
func (a *Post) CancelPost(ctx context.Context, in PostRef) (PostState, error) {
	return postState(a.Posts.CancelPost(ctx, in.PostID, a.Now()))
}

type MarkPostUnknownInput struct {
	PostID  string
	Attempt int
}

// MarkPostUnknown records that it is unknown whether the post was published. Safe to repeat.
func (a *Post) MarkPostUnknown(ctx context.Context, in MarkPostUnknownInput) (PostState, error) {
	return postState(a.Posts.DoubtPost(ctx, in.PostID, in.Attempt, "x_unreadable",
		"X did not confirm the post, and the bot's timeline can't be read. Retry checks the timeline again before sending."))
}

// ClosePost ends the wait for a decision. Safe to repeat.
func (a *Post) ClosePost(ctx context.Context, in PostRef) (PostState, error) {
	return postState(a.Posts.ClosePost(ctx, in.PostID))
}

// Account is the bot's account at X. *x.Client implements it.
type Account interface {
	Publish(ctx context.Context, d post.Draft) (post.Tweet, error)
	Timeline(ctx context.Context, since time.Time) ([]post.Tweet, error)
	Metrics(ctx context.Context, tweetIDs []string) (map[string]post.Metrics, error)
}

// Accounts returns the bot's account and the ID of its current connection, or post.ErrNotConnected.
type Accounts interface {
	Account(ctx context.Context) (account Account, connectionID string, err error)
}

type PublishPostInput struct {
	PostID  string
	Attempt int
	Send    time.Duration // deadline of the call
}

// PublishPost arms the post and calls X, once. It is NOT safe to repeat, because X has no idempotency
// key. If it fails or its worker is lost, the row shows how far it got: not armed means not sent, armed
// means that the timeline has to be checked.
func (a *Post) PublishPost(ctx context.Context, in PublishPostInput) (PostState, error) {
	bot, connectionID, err := a.Accounts.Account(ctx)
	if errors.Is(err, post.ErrNotConnected) {
		return postState(a.awaitConnection(ctx, in.PostID))
	}
	if err != nil {
		return PostState{}, err
	}
	began := a.Now()
	p, err := a.Posts.ArmPost(ctx, in.PostID, in.Attempt, connectionID, began)
	if err != nil || !armedAt(p, in.Attempt, began) {
		return postState(p, err)
	}
	if a.Timing.Send > 0 {
		in.Send = min(in.Send, a.Timing.Send)
	}
	send, cancel := context.WithDeadline(ctx, p.ArmedAt.Add(in.Send))
	defer cancel()
	tweet, err := bot.Publish(send, post.Draft{
		Text: p.Text, PaidPartnership: p.Sponsored(),
	})
	now := a.Now()
	v := verdict(p, tweet, err, now)
	if v.Code == post.CodeDuplicate { // the text may be this post's own, from an attempt whose answer was lost
		if doubtful, err := a.Posts.MayBePublished(ctx, p); doubtful || err != nil {
			v.Outcome = post.OutcomeUnclear
		}
	}
	return postState(a.Posts.ConcludePost(ctx, p.ID, v, now))
}

// awaitConnection makes a post wait until the bot is connected. Connecting signals the posts that wait
// by then; one that starts to wait at the same time has to check again itself.
func (a *Post) awaitConnection(ctx context.Context, postID string) (post.Post, error) {
	p, err := a.Posts.DelayPost(ctx, postID, post.CodeNotConnected, post.NotConnectedReason, a.Now().Add(post.NotConnectedWait))
	if err != nil {
		return p, err
	}
	if _, _, err := a.Accounts.Account(ctx); err == nil {
		return a.Posts.DelayPost(ctx, postID, "", "", a.Now())
	}
	return p, nil
}

// armedAt reports whether this call armed the post. Two may have the same attempt: a terminated run can
// leave an activity behind that resumes beside the next run's.
func armedAt(p post.Post, attempt int, began time.Time) bool {
	const stored = time.Microsecond // precision of stored times
	return p.Status == post.StatusArmed && p.Attempt == attempt && p.ArmedAt.Equal(began.Truncate(stored))
}

// verdict converts X's answer to the verdict of an attempt.
func verdict(p post.Post, tweet post.Tweet, err error, now time.Time) post.Verdict {
	if err == nil {
		tweet.CreatedAt = now
		return found(p, tweet)
	}
	failed, ok := errors.AsType[*post.XError](err)
	if !ok { // no answer of X: the outcome is unknown
		return post.Verdict{Attempt: p.Attempt, Outcome: post.OutcomeUnclear, Code: "x_unclear", Reason: "X's answer was lost. We're checking the bot's timeline for the post."}
	}
	v := post.Verdict{Attempt: p.Attempt, Outcome: post.OutcomeRefused, Code: failed.Code, Reason: failed.Message}
	switch failed.Class {
	case post.NotSent:
		v.Outcome, v.Until = post.OutcomeWaiting, now.Add(post.Backoff(p.Attempt))
		v.Final = now.Sub(firstDue(p)) > post.PatienceWithX
	case post.RateLimited:
		v.Outcome, v.Until = post.OutcomeWaiting, failed.RetryAt.Add(spread(p.ID))
		v.Final = now.Sub(firstDue(p)) > post.PatienceWithX
	case post.Unclear:
		v.Outcome = post.OutcomeUnclear
	case post.Refused, post.Duplicate, post.AccountRefused:
	}
	return v
}

// firstDue is since when the post could have been sent. Time during which founders held it back does not
// count against X's patience.
func firstDue(p post.Post) time.Time {
	if p.FirstArmedAt != nil && p.FirstArmedAt.After(p.ScheduledAt) {
		return *p.FirstArmedAt
	}
	return p.ScheduledAt
}

// spread delays posts that waited for the same rate limit reset by different times, to avoid a burst.
func spread(postID string) time.Duration {
	h := fnv.New32a()
	_, _ = fmt.Fprint(h, postID)
	return time.Second + time.Duration(h.Sum32()%2000)*time.Millisecond
}

// clockSkew is how far X's clock may be behind: X accepts calls with clocks that differ by 5 minutes.
const clockSkew = 6 * time.Minute

type ReconcilePostInput struct {
	PostID string
	Last   bool // the second check: a post that is missing now was not published
}

// ReconcilePost searches the bot's timeline for an armed post. If found, it is published; if missing at
// the last check, it is safe to send again. Safe to repeat.
func (a *Post) ReconcilePost(ctx context.Context, in ReconcilePostInput) (PostState, error) {
	p, err := a.Posts.Post(ctx, in.PostID)
	if err != nil || p.Status != post.StatusArmed {
		return postState(p, err)
	}
	tweet, err := a.find(ctx, p)
	if err != nil {
		return PostState{}, err
	}
	now := a.Now()
	if tweet != nil {
		return postState(a.Posts.ConcludePost(ctx, p.ID, found(p, *tweet), now))
	}
	if !in.Last {
		return postState(p, nil)
	}
	if wait := p.ArmedAt.Add(a.Timing.Settle).Sub(now); wait > 0 {
		return PostState{}, temporal.NewApplicationErrorWithOptions("The call to X may still be open.", "x_unclear",
			temporal.ApplicationErrorOptions{NextRetryDelay: wait})
	}
	return postState(a.Posts.ConcludePost(ctx, p.ID, absent(p, now), now))
}

// RetryPost schedules a failed or unknown post for now, unless it is found on the timeline. Safe to
// repeat.
func (a *Post) RetryPost(ctx context.Context, in PostRef) (PostState, error) {
	return a.unlessFound(ctx, in, a.Posts.ReopenPost)
}

// GiveUpPost cancels a failed or unknown post, unless it is found on the timeline: a published post
// keeps its slot. Safe to repeat.
func (a *Post) GiveUpPost(ctx context.Context, in PostRef) (PostState, error) {
	return a.unlessFound(ctx, in, a.Posts.CancelPost)
}

func (a *Post) unlessFound(
	ctx context.Context, in PostRef, do func(context.Context, string, time.Time) (post.Post, error),
) (PostState, error) {
	p, err := a.Posts.Post(ctx, in.PostID)
	if err != nil || p.Status.Final() { // already final: an earlier call's answer was lost
		return postState(p, err)
	}
	if p.Status.Retryable() && p.FirstArmedAt != nil {
		tweet, err := a.find(ctx, p)
		if err != nil {
			return PostState{}, unreadable(err)
		}
		if tweet != nil {
			return postState(a.Posts.FindPost(ctx, p.ID, found(p, *tweet), a.Now()))
		}
	}
	return postState(do(ctx, p.ID, a.Now()))
}

// find searches the timeline for the post since it was first armed. Tweets of other posts do not count.
func (a *Post) find(ctx context.Context, p post.Post) (*post.Tweet, error) {
	if err := a.Posts.CountReconciliationRead(ctx, a.Now()); err != nil {
		return nil, err
	}
	bot, _, err := a.Accounts.Account(ctx)
	if errors.Is(err, post.ErrNotConnected) {
		return nil, temporal.NewNonRetryableApplicationError(post.NotConnectedReason, post.CodeNotConnected, nil)
	}
	if err != nil {
		return nil, err
	}
	tweets, err := bot.Timeline(ctx, p.FirstArmedAt.Add(-clockSkew))
	if err != nil {
		return nil, asXFailure(err, a.Now())
	}
	ids := make([]string, len(tweets))
	for i, tweet := range tweets {
		ids[i] = tweet.ID
	}
	claimed, err := a.Posts.ClaimedTweets(ctx, ids)
	if err != nil {
		return nil, err
	}
	wanted := post.TextKey(p.Text)
	for _, tweet := range tweets {
		if !claimed[tweet.ID] && post.TextKey(tweet.Text) == wanted {
			return &tweet, nil
		}
	}
	return nil, nil //nolint:nilnil // not found is not an error
}

func found(p post.Post, tweet post.Tweet) post.Verdict {
	return post.Verdict{
		Attempt: p.Attempt, Outcome: post.OutcomePublished, TweetID: tweet.ID, URL: tweet.URL, At: tweet.CreatedAt,
	}
}

func absent(p post.Post, now time.Time) post.Verdict {
	if p.Code == post.CodeDuplicate { // X would refuse it again
		return post.Verdict{Attempt: p.Attempt, Outcome: post.OutcomeRefused, Code: p.Code, Reason: p.Reason}
	}
	v := post.Verdict{
		Attempt: p.Attempt, Outcome: post.OutcomeAbsent, Until: now, Code: "x_lost",
		Reason: "The last attempt did not reach X: the post is not on the bot's timeline. Trying again.",
	}
	if p.UnclearAttempts >= post.MaxUnclear {
		v.Final = true
		v.Reason = "X answered none of the attempts, and the post is not on the bot's timeline. Retry when X is available again."
	}
	return v
}

// asXFailure converts an error of X to an application error with the time of the next retry, or a final
// one.
func asXFailure(err error, now time.Time) error {
	failed, ok := errors.AsType[*post.XError](err)
	if !ok {
		return err
	}
	options := temporal.ApplicationErrorOptions{Cause: nil}
	switch failed.Class {
	case post.RateLimited:
		options.NextRetryDelay = max(failed.RetryAt.Sub(now), time.Second)
	case post.AccountRefused, post.Refused:
		options.NonRetryable = true
	case post.NotSent, post.Unclear, post.Duplicate:
	}
	return temporal.NewApplicationErrorWithOptions(failed.Message, failed.Code, options)
}

func unreadable(err error) error {
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return problem.New(problem.Unavailable, "The post was not changed, because the bot's timeline can't be read: %s", app.Message())
	}
	return err
}
