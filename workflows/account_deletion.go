package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
)

var deletionActivities *activities.AccountDeletion // nil: only names activities

// AccountDeletionInput identifies a stored deletion request; its row holds the account.
type AccountDeletionInput = activities.AccountDeletionRef

// AccountDeletionResult counts what was cancelled or deleted.
type AccountDeletionResult struct {
	Posts          int // cancelled posts
	RecurringPosts int // ended recurring posts
	Votes          int // deleted votes of open experiments
}

// AccountDeletionID is the workflow ID of an account deletion.
func AccountDeletionID(id string) string { return "account-deletion:" + id }

const (
	// maxDeletionRounds bounds the attempts to cancel all posts. With the waits between them they take 4
	// hours, longer than any post is being sent.
	maxDeletionRounds = 60
	maxDeletionWait   = 5 * time.Minute
	cancelTimeout     = time.Minute
	eraseTimeout      = 2 * time.Minute // it reads every table
)

// AccountDeletion cancels an account's recurring posts and posts, and then erases the account. It waits
// for posts that are being sent. It ignores cancellation, because the deletion was confirmed to the
// user.
func AccountDeletion(ctx workflow.Context, in AccountDeletionInput) (AccountDeletionResult, error) {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	state, err := runLocal(ctx, deletionActivities.BeginAccountDeletion, in)
	if err == nil && !state.Ended {
		_, err = call(remote(ctx, cancelTimeout, 0), deletionActivities.EndRecurringPosts, in)
	}
	for round := 1; err == nil && !state.Ended; round++ {
		state, err = cancelAndErase(ctx, in, round)
	}
	return AccountDeletionResult{Posts: state.Posts, RecurringPosts: state.RecurringPosts, Votes: state.Votes}, err
}

// cancelAndErase cancels open posts, and erases the account once there are none, or in the last round in
// any case.
func cancelAndErase(ctx workflow.Context, in AccountDeletionInput, round int) (activities.AccountDeletionState, error) {
	list, err := runLocal(ctx, deletionActivities.ListOpenPosts, in)
	if err != nil {
		return activities.AccountDeletionState{}, err
	}
	waiting := 0
	for _, id := range list.PostIDs {
		cancelled, err := call(remote(ctx, cancelTimeout, 0), deletionActivities.CancelOpenPost, activities.PostRef{PostID: id})
		if err != nil {
			return activities.AccountDeletionState{}, err
		}
		if !cancelled.Ended {
			waiting++
		}
	}
	state, err := call(remote(ctx, eraseTimeout, 0), deletionActivities.EraseMember, activities.EraseMemberInput{
		AccountDeletionID: in.AccountDeletionID, Force: round >= maxDeletionRounds,
	})
	if err != nil || state.Ended || (waiting == 0 && len(list.PostIDs) > 0) { // there may be more
		return state, err
	}
	return state, workflow.Sleep(ctx, min(time.Second<<min(round, 20), maxDeletionWait))
}
