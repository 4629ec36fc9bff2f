package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
)

var deletionActivities *activities.AccountDeletion // nil: only names activities

// AccountDeletionInput names a departure whose row is written. Whose it is stands there.
type AccountDeletionInput = activities.AccountDeletionRef

// AccountDeletionResult says what was taken back.
type AccountDeletionResult struct {
	Posts          int // that waited and were given up
	RecurringPosts int // that were ended
	Votes          int // in experiments that were open
}

// AccountDeletionID is the workflow ID of a departure.
func AccountDeletionID(id string) string { return "account-deletion:" + id }

const (
	// mostDeletionChecks bounds how often posts are looked at that cannot be given up: with
	// the waits between them, four hours. Nothing that is being sent takes as long.
	maxDeletionRounds = 60
	// longestDeletionWait is the longest of these waits.
	maxDeletionWait = 5 * time.Minute
	cancelTimeout   = time.Minute
	eraseTimeout    = 2 * time.Minute // it goes through every table
)

// AccountDeletion takes back what somebody who leaves has left waiting, and then forgets who it was.
// What is being sent is waited for. Cancelled in the console it goes on: it was promised.
func AccountDeletion(ctx workflow.Context, in AccountDeletionInput) (AccountDeletionResult, error) {
	ctx, _ = workflow.NewDisconnectedContext(ctx)
	state, err := runLocal(ctx, deletionActivities.BeginAccountDeletion, in)
	if err == nil && !state.Ended {
		_, err = call(remote(ctx, cancelTimeout, 0), deletionActivities.EndRecurringPosts, in)
	}
	for look := 1; err == nil && !state.Ended; look++ {
		state, err = depart(ctx, in, look)
	}
	return AccountDeletionResult{Posts: state.Posts, RecurringPosts: state.RecurringPosts, Votes: state.Votes}, err
}

// depart gives up what waits, and erases when nothing does any more. With the last look it
// erases in any case.
func depart(ctx workflow.Context, in AccountDeletionInput, look int) (activities.AccountDeletionState, error) {
	list, err := runLocal(ctx, deletionActivities.ListOpenPosts, in)
	if err != nil {
		return activities.AccountDeletionState{}, err
	}
	waiting := 0
	for _, id := range list.PostIDs {
		given, err := call(remote(ctx, cancelTimeout, 0), deletionActivities.CancelOpenPost, activities.PostRef{PostID: id})
		if err != nil {
			return activities.AccountDeletionState{}, err
		}
		if !given.Ended {
			waiting++
		}
	}
	state, err := call(remote(ctx, eraseTimeout, 0), deletionActivities.EraseMember, activities.EraseMemberInput{
		AccountDeletionID: in.AccountDeletionID, Force: look >= maxDeletionRounds,
	})
	if err != nil || state.Ended || (waiting == 0 && len(list.PostIDs) > 0) { // there may be more
		return state, err
	}
	return state, workflow.Sleep(ctx, min(time.Second<<min(look, 20), maxDeletionWait))
}
