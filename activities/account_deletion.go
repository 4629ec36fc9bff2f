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

// AccountDeletion holds the activities of account deletions. Each is safe to repeat, and no input or
// result contains personal data.
type AccountDeletion struct {
	Store          AccountDeletionStore
	Posts          PostReader
	RecurringPosts RecurringPostEnder
	Runs           AccountDeletionRuns
	Now            func() time.Time
}

// AccountDeletionStore stores account deletions and erases members. *store.Deletions implements it.
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
	EndRecurringPost(ctx context.Context, id string, now time.Time) (r schedule.RecurringPost, changedIDs []string, err error)
}

// AccountDeletionRuns changes the runs and schedules of the account's posts. *client.Client implements
// it.
type AccountDeletionRuns interface {
	CancelPost(ctx context.Context, p post.Post) error
	WakePost(ctx context.Context, p post.Post) error
	ScheduleRecurringPost(ctx context.Context, r schedule.RecurringPost) error
}

type AccountDeletionRef struct{ AccountDeletionID string }

// AccountDeletionState is the progress of a deletion.
type AccountDeletionState struct {
	Ended                        bool
	Posts, RecurringPosts, Votes int
}

func deletionState(d account.Deletion, err error) (AccountDeletionState, error) {
	return AccountDeletionState{Ended: d.Ended(), Posts: d.CancelledPosts, RecurringPosts: d.EndedRecurringPosts, Votes: d.DeletedVotes}, err
}

// BeginAccountDeletion stores the run of a deletion.
func (a *AccountDeletion) BeginAccountDeletion(ctx context.Context, in AccountDeletionRef) (AccountDeletionState, error) {
	execution := activity.GetInfo(ctx).WorkflowExecution
	return deletionState(a.Store.BeginDeletion(ctx, in.AccountDeletionID, execution.ID, execution.RunID))
}

// EndRecurringPosts ends the account's recurring posts, signals the runs of their waiting posts, and
// deletes their schedules. It also completes an earlier attempt that changed only the rows.
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
	cancelled, err := a.Store.CancelledPostsOf(ctx, id, since)
	if err != nil {
		return err
	}
	for _, p := range cancelled {
		if err := a.Runs.WakePost(ctx, p); err != nil {
			return err
		}
	}
	return a.Runs.ScheduleRecurringPost(ctx, ended)
}

// postsAtOnce bounds a list that goes through Temporal.
const postsAtOnce = 50

// OpenPosts is a batch of the account's posts that still have a run.
type OpenPosts struct{ PostIDs []string }

// ListOpenPosts lists the next batch.
func (a *AccountDeletion) ListOpenPosts(ctx context.Context, in AccountDeletionRef) (OpenPosts, error) {
	posts, err := a.Store.PostsToCancel(ctx, in.AccountDeletionID, postsAtOnce)
	list := OpenPosts{PostIDs: make([]string, len(posts))}
	for i, p := range posts {
		list.PostIDs[i] = p.ID
	}
	return list, err
}

// CancelOpenPostResult reports whether the post has ended. If not, it is being sent or its outcome is
// unknown.
type CancelOpenPostResult struct{ Ended bool }

// CancelOpenPost cancels a post through its run, because only the run holds whether it is being sent.
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
	p, err = a.Posts.Post(ctx, in.PostID) // being sent, published, or its outcome can't be checked
	return CancelOpenPostResult{Ended: p.Status.Final()}, err
}

type EraseMemberInput struct {
	AccountDeletionID string
	Force             bool // even if posts are still open
}

// EraseMember erases the account's personal data. Unless forced, it does nothing while posts still have
// runs.
func (a *AccountDeletion) EraseMember(ctx context.Context, in EraseMemberInput) (AccountDeletionState, error) {
	return deletionState(a.Store.EraseMember(ctx, in.AccountDeletionID, in.Force, a.Now()))
}
