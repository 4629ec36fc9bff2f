package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/schedule"
)

var recurringActivities *activities.RecurringPost // nil: only names activities

// RecurringPostInput names a recurring post whose row is written.
type RecurringPostInput = activities.RecurringPostRef

// RecurringPostResult says what one look at a recurring post came to.
type RecurringPostResult struct {
	State schedule.RecurringState
	Posts int // written, or given up
}

// RecurringPostID names the schedule of a recurring post and, with a time, its runs.
func RecurringPostID(id string) string { return "recurring-post:" + id }

// RecurringPost gives the times of a recurring post that have passed their turn, and writes the next post
// ahead. Each post then has a run of its own, which waits for its time.
func RecurringPost(ctx workflow.Context, in RecurringPostInput) (RecurringPostResult, error) {
	plan, err := runLocal(ctx, recurringActivities.PlanRecurringPost, in)
	if err != nil {
		return RecurringPostResult{}, err
	}
	result := RecurringPostResult{State: plan.State, Posts: len(plan.PostIDs)}
	if len(plan.PostIDs) == 0 && plan.State == schedule.Active {
		return result, nil
	}
	_, err = call(remote(ctx, 10*time.Second, wakePatience), recurringActivities.NotifyPosts, activities.NotifyPostsInput{
		RecurringPostID: in.RecurringPostID, PostIDs: plan.PostIDs,
	})
	return result, err
}
