package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/temporal"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
)

// clockSkew is how far X's clock may be behind ours: X takes calls of clocks that are five minutes off.
const clockSkew = 6 * time.Minute

type ReconcilePostInput struct {
	PostID string
	Last   bool // the second look: if the post is not there now, it is not there
}

// Reconcile looks for an armed post on the bot's own timeline. Found, it is published;
// missing at the last look, it is safe to try again. Safe to repeat.
func (a *Post) ReconcilePost(ctx context.Context, in ReconcilePostInput) (PostState, error) {
	p, err := a.Posts.Post(ctx, in.PostID)
	if err != nil || p.Status != post.StatusArmed {
		return answer(p, err)
	}
	tweet, err := a.find(ctx, p)
	if err != nil {
		return PostState{}, err
	}
	now := a.Now()
	if tweet != nil {
		return answer(a.Posts.ConcludePost(ctx, p.ID, found(p, *tweet), now))
	}
	if !in.Last {
		return answer(p, nil)
	}
	return answer(a.Posts.ConcludePost(ctx, p.ID, absent(p, now), now))
}

// RetryPost schedules a failed or unknown post for now, after looking whether it is
// there already. Safe to repeat.
func (a *Post) RetryPost(ctx context.Context, in PostRef) (PostState, error) {
	return a.unlessFound(ctx, in, a.Posts.ReopenPost)
}

// GiveUpPost cancels a failed or unknown post, after looking whether it is there already:
// what is public keeps its slot. Safe to repeat.
func (a *Post) GiveUpPost(ctx context.Context, in PostRef) (PostState, error) {
	return a.unlessFound(ctx, in, a.Posts.CancelPost)
}

func (a *Post) unlessFound(
	ctx context.Context, in PostRef, do func(context.Context, string, time.Time) (post.Post, error),
) (PostState, error) {
	p, err := a.Posts.Post(ctx, in.PostID)
	if err != nil || p.Status.Final() { // final already: an earlier call's answer was lost
		return answer(p, err)
	}
	if p.Status.Retryable() && p.FirstArmedAt != nil {
		tweet, err := a.find(ctx, p)
		if err != nil {
			return PostState{}, unreadable(err)
		}
		if tweet != nil {
			return answer(a.Posts.FindPost(ctx, p.ID, found(p, *tweet), a.Now()))
		}
	}
	return answer(do(ctx, p.ID, a.Now()))
}

// find looks for the post on the timeline since it was first armed. Tweets that belong to
// other posts do not count.
func (a *Post) find(ctx context.Context, p post.Post) (*post.Tweet, error) {
	if err := a.Posts.CountSafetyRead(ctx, a.Now()); err != nil {
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
		return nil, whenToAsk(err, a.Now())
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
	return nil, nil //nolint:nilnil // not being there is an ordinary answer
}

func found(p post.Post, tweet post.Tweet) post.Verdict {
	return post.Verdict{
		Attempt: p.Attempt, Outcome: post.OutcomePublished, TweetID: tweet.ID, URL: tweet.URL, At: tweet.CreatedAt,
	}
}

func absent(p post.Post, now time.Time) post.Verdict {
	v := post.Verdict{
		Attempt: p.Attempt, Outcome: post.OutcomeAbsent, Until: now, Code: "x_lost",
		Reason: "X took no note of the last try: the post is not on our timeline. Trying again.",
	}
	if p.Unclear >= post.MaxUnclear {
		v.Final = true
		v.Reason = "X answered none of our tries, and the post is not on our timeline. Retry when X is well again."
	}
	return v
}

// whenToAsk tells Temporal when the timeline may be asked again, or that asking is useless.
func whenToAsk(err error, now time.Time) error {
	said, ok := errors.AsType[*post.XError](err)
	if !ok {
		return err
	}
	options := temporal.ApplicationErrorOptions{Cause: nil}
	switch said.Class {
	case post.RateLimited:
		options.NextRetryDelay = max(said.RetryAt.Sub(now), time.Second)
	case post.AccountRefused, post.Refused:
		options.NonRetryable = true
	case post.NotSent, post.Unclear, post.Duplicate:
	}
	return temporal.NewApplicationErrorWithOptions(said.Message, said.Code, options)
}

func unreadable(err error) error {
	if app, ok := errors.AsType[*temporal.ApplicationError](err); ok {
		return problem.New(problem.Unavailable, "The post was not sent again or given up, because our timeline cannot be read: %s", app.Message())
	}
	return err
}
