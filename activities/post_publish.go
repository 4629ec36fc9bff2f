package activities

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"time"

	"customerzero/internal/domain/post"
)

// Account is the bot's account with X. *social.Client implements it.
type Account interface {
	Publish(ctx context.Context, d post.Draft) (post.Tweet, error)
	Timeline(ctx context.Context, since time.Time) ([]post.Tweet, error)
	Metrics(ctx context.Context, tweetIDs []string) (map[string]post.Metrics, error)
}

// Accounts gives the bot's account as it is connected now, and names the connection:
// post.ErrNotConnected without one.
type Accounts interface {
	Account(ctx context.Context) (account Account, connectionID string, err error)
}

type PublishInput struct {
	PostID  string
	Attempt int
	Send    time.Duration // deadline of the call
}

// Publish arms the post and calls X, once. It is NOT safe to repeat: X keeps no
// idempotency key. When it fails, or its worker dies, the row says how far it got: not
// armed means not sent, armed means that somebody has to look.
func (a *Post) Publish(ctx context.Context, in PublishInput) (PostState, error) {
	bot, connectionID, err := a.Accounts.Account(ctx)
	if errors.Is(err, post.ErrNotConnected) {
		return answer(a.awaitConnection(ctx, in.PostID))
	}
	if err != nil {
		return PostState{}, err
	}
	began := a.Now()
	p, err := a.Posts.ArmPost(ctx, in.PostID, in.Attempt, connectionID, began)
	if err != nil || !armedAt(p, in.Attempt, began) {
		return answer(p, err)
	}
	send, cancel := context.WithDeadline(ctx, p.ArmedAt.Add(in.Send))
	defer cancel()
	tweet, err := bot.Publish(send, post.Draft{
		Text: p.Text, MadeWithAI: p.MadeWithAI, PaidPartnership: p.Sponsored(),
	})
	now := a.Now()
	return answer(a.Posts.ConcludePost(ctx, p.ID, verdict(p, tweet, err, now), now))
}

// awaitConnection lets a post wait until the bot is connected. Whoever connects it wakes
// the posts that wait by then; one that is only just beginning to has to look for itself.
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

// armedAt says whether it was this call that armed the post. Two may have the same attempt:
// a run that was ended by force can leave one behind, which wakes up beside the next run's.
func armedAt(p post.Post, attempt int, began time.Time) bool {
	const stored = time.Microsecond // what databases keep of a time
	return p.Status == post.StatusArmed && p.Attempt == attempt && p.ArmedAt.Equal(began.Truncate(stored))
}

// verdict reads X's answer to an attempt.
func verdict(p post.Post, tweet post.Tweet, err error, now time.Time) post.Verdict {
	if err == nil {
		return post.Verdict{
			Attempt: p.Attempt, Outcome: post.OutcomePublished, TweetID: tweet.ID, URL: tweet.URL, At: now,
		}
	}
	said, ok := errors.AsType[*post.XError](err)
	if !ok { // not one of X's answers: nobody knows what happened
		return post.Verdict{Attempt: p.Attempt, Outcome: post.OutcomeUnclear, Code: "x_unclear", Reason: "The answer of X was lost. We are looking for the post on our timeline."}
	}
	v := post.Verdict{Attempt: p.Attempt, Outcome: post.OutcomeRefused, Code: said.Code, Reason: said.Message}
	switch said.Class {
	case post.NotSent:
		v.Outcome, v.Until = post.OutcomeWaiting, now.Add(post.Backoff(p.Attempt))
		v.Final = now.Sub(firstDue(p)) > post.PatienceWithX
	case post.RateLimited:
		v.Outcome, v.Until = post.OutcomeWaiting, said.RetryAt.Add(spread(p.ID))
		v.Final = now.Sub(firstDue(p)) > post.PatienceWithX
	case post.Unclear:
		v.Outcome = post.OutcomeUnclear
	case post.Duplicate:
		if p.Attempt > 1 { // X knows this text: an earlier try may have gone through
			v.Outcome = post.OutcomeUnclear
		}
	case post.Refused, post.AccountRefused:
	}
	return v
}

// firstDue is since when X could have had the post: what founders held back for days is not
// the worse for it.
func firstDue(p post.Post) time.Time {
	if p.FirstArmedAt != nil && p.FirstArmedAt.After(p.ScheduledAt) {
		return *p.FirstArmedAt
	}
	return p.ScheduledAt
}

// spread keeps the posts that waited for the same reset from going out in one burst.
func spread(postID string) time.Duration {
	h := fnv.New32a()
	_, _ = fmt.Fprint(h, postID)
	return time.Second + time.Duration(h.Sum32()%2000)*time.Millisecond
}
