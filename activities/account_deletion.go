package activities

import (
	"context"
	"errors"
	"time"

	"go.temporal.io/sdk/activity"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/schedule"
)

// AccountDeletion holds the activities of members who leave. Each is safe to repeat. None of what
// they hear or say names anybody.
type AccountDeletion struct {
	Store          AccountDeletionStore
	Posts          PostReader
	RecurringPosts RecurringPostEnder
	Runs           AccountDeletionRuns
	Now            func() time.Time
}

// AccountDeletionStore keeps account deletions and what they leave behind. *store.Deletions
// implements it.
type AccountDeletionStore interface {
	BeginDeletion(ctx context.Context, id, workflowID, runID string) (account.Deletion, error)
	Deletion(ctx context.Context, id string) (account.Deletion, error)
	RecurringPostsToEnd(ctx context.Context, id string) ([]schedule.RecurringPost, error)
	CancelledPostsOf(ctx context.Context, recurringPostID string, since time.Time) ([]post.Post, error)
	PostsToCancel(ctx context.Context, id string, limit int) ([]post.Post, error)
	EraseMember(ctx context.Context, id string, force bool, at time.Time) (account.Deletion, error)
}

// RecurringPostEnder ends recurring posts. *store.RecurringPosts implements it.
type RecurringPostEnder interface {
	EndRecurringPost(ctx context.Context, id string, now time.Time) (r schedule.RecurringPost, told []string, err error)
}

// AccountDeletionRuns are the runs of what is left behind. *client.Client implements it.
type AccountDeletionRuns interface {
	CancelPost(ctx context.Context, p post.Post) error
	WakePost(ctx context.Context, p post.Post) error
	ScheduleRecurringPost(ctx context.Context, r schedule.RecurringPost) error
}

type AccountDeletionRef struct{ AccountDeletionID string }

// AccountDeletionState is how a departure stands.
type AccountDeletionState struct {
	Ended                        bool
	Posts, RecurringPosts, Votes int
}

func deletionState(d account.Deletion, err error) (AccountDeletionState, error) {
	return AccountDeletionState{Ended: d.Ended(), Posts: d.CancelledPosts, RecurringPosts: d.EndedRecurringPosts, Votes: d.DeletedVotes}, err
}

// BeginAccountDeletion notes which run carries the departure.
func (a *AccountDeletion) BeginAccountDeletion(ctx context.Context, in AccountDeletionRef) (AccountDeletionState, error) {
	carrier := activity.GetInfo(ctx).WorkflowExecution
	return deletionState(a.Store.BeginDeletion(ctx, in.AccountDeletionID, carrier.ID, carrier.RunID))
}

// EndRecurringPosts ends what would write more posts. The runs of posts that a recurring post had written
// ahead are woken, and its schedule goes: also where an earlier try got no further than the row.
func (a *AccountDeletion) EndRecurringPosts(ctx context.Context, in AccountDeletionRef) (Done, error) {
	d, err := a.Store.Deletion(ctx, in.AccountDeletionID)
	if err != nil {
		return Done{}, err
	}
	theirs, err := a.Store.RecurringPostsToEnd(ctx, d.ID)
	if err != nil {
		return Done{}, err
	}
	for _, r := range theirs {
		if err := a.endRecurringPost(ctx, r.ID, d.RequestedAt); err != nil {
			return Done{}, err
		}
	}
	return Done{}, nil
}

func (a *AccountDeletion) endRecurringPost(ctx context.Context, id string, since time.Time) error {
	ended, _, err := a.RecurringPosts.EndRecurringPost(ctx, id, a.Now())
	if err != nil {
		return err
	}
	given, err := a.Store.CancelledPostsOf(ctx, id, since)
	if err != nil {
		return err
	}
	for _, p := range given {
		if err := a.Runs.WakePost(ctx, p); err != nil {
			return err
		}
	}
	return a.Runs.ScheduleRecurringPost(ctx, ended)
}

// postsAtOnce bounds what one list carries through Temporal.
const postsAtOnce = 50

// OpenPosts are some of the posts that runs carry for somebody who leaves.
type OpenPosts struct{ PostIDs []string }

// ListOpenPosts lists the next of them.
func (a *AccountDeletion) ListOpenPosts(ctx context.Context, in AccountDeletionRef) (OpenPosts, error) {
	posts, err := a.Store.PostsToCancel(ctx, in.AccountDeletionID, postsAtOnce)
	list := OpenPosts{PostIDs: make([]string, len(posts))}
	for i, p := range posts {
		list.PostIDs[i] = p.ID
	}
	return list, err
}

// CancelOpenPostResult says whether the post has ended. One that has not is being sent, or
// nobody can tell yet whether it was.
type CancelOpenPostResult struct{ Ended bool }

// CancelOpenPost cancels a post as its owner would: its run does it, for only that knows
// whether it is being sent.
func (a *AccountDeletion) CancelOpenPost(ctx context.Context, in PostRef) (CancelOpenPostResult, error) {
	p, err := a.Posts.Post(ctx, in.PostID)
	if err != nil {
		return CancelOpenPostResult{}, err
	}
	if !p.Status.Cancellable() {
		return CancelOpenPostResult{Ended: p.Status.Final()}, nil
	}
	err = a.Runs.CancelPost(ctx, p)
	if _, refused := errors.AsType[*problem.Error](err); err != nil && !refused {
		return CancelOpenPostResult{}, err
	}
	if err == nil {
		return CancelOpenPostResult{Ended: true}, nil
	}
	p, err = a.Posts.Post(ctx, in.PostID) // it is being sent, or went out, or cannot be looked for
	return CancelOpenPostResult{Ended: p.Status.Final()}, err
}

type EraseMemberInput struct {
	AccountDeletionID string
	Force             bool // whatever still waits
}

// EraseMember forgets who it was. It does nothing while runs still carry posts of theirs,
// unless it is forced.
func (a *AccountDeletion) EraseMember(ctx context.Context, in EraseMemberInput) (AccountDeletionState, error) {
	return deletionState(a.Store.EraseMember(ctx, in.AccountDeletionID, in.Force, a.Now()))
}
