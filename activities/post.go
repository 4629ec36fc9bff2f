package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"customerzero/internal/domain/post"
)

// Post holds the activities of the post flow. The zero value names activities in
// workflows; worker builds the real one.
type Post struct {
	Posts    Posts
	Accounts Accounts
	Now      func() time.Time
}

// Posts is the book of posts. *store.Posts implements it.
type Posts interface {
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
	CountSafetyRead(ctx context.Context, now time.Time) error
}

// PostState is what the flow needs to know of a post's row. Texts stay in the database.
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

func answer(p post.Post, err error) (PostState, error) { return stateOf(p), err }

type PostRef struct{ PostID string }

// BeginPost reads the post, and notes in it the run that carries it from here on.
func (a *Post) BeginPost(ctx context.Context, in PostRef) (PostState, error) {
	return answer(a.Posts.BeginPost(ctx, in.PostID, activity.GetInfo(ctx).WorkflowExecution.RunID))
}

// LoadPost reads where the post stands.
func (a *Post) LoadPost(ctx context.Context, in PostRef) (PostState, error) {
	return answer(a.Posts.Post(ctx, in.PostID))
}

type ChangePostInput struct {
	PostID      string
	Text        *string
	ScheduledAt *time.Time
	Version     *int
}

// ChangePost alters text or time, unless the post is being sent. The text and time may
// come straight from the console, so they are checked here too.
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
	return answer(a.Posts.ChangePost(ctx, in.PostID, change, now))
}

// CancelPost gives the post up, unless it is being sent. Safe to repeat.
func (a *Post) CancelPost(ctx context.Context, in PostRef) (PostState, error) {
	return answer(a.Posts.CancelPost(ctx, in.PostID, a.Now()))
}

type DoubtPostInput struct {
	PostID  string
	Attempt int
}

// DoubtPost says that nobody can tell whether the post went out. Safe to repeat.
func (a *Post) DoubtPost(ctx context.Context, in DoubtPostInput) (PostState, error) {
	return answer(a.Posts.DoubtPost(ctx, in.PostID, in.Attempt, "x_unreadable",
		"X did not say whether it took the post, and our timeline there cannot be read. Retry looks again before it sends."))
}

// ClosePost ends the wait for a person. Safe to repeat.
func (a *Post) ClosePost(ctx context.Context, in PostRef) (PostState, error) {
	return answer(a.Posts.ClosePost(ctx, in.PostID))
}
