package workflows

import (
	"time"

	"go.temporal.io/sdk/workflow"

	"customerzero/activities"
	"customerzero/internal/domain/schedule"
)

var recurringActivities *activities.RecurringPost // nil: only names activities

// RecurringPostInput identifies a stored recurring post.
type RecurringPostInput = activities.RecurringPostRef

// RecurringPostResult is the outcome of one planning pass.
type RecurringPostResult struct {
	State schedule.RecurringState
	Posts int // created or cancelled
}

// RecurringPostID is the ID of a recurring post's schedule and, with a time, of its runs.
func RecurringPostID(id string) string { return "recurring-post:" + id }

// RecurringPost settles the passed times of a recurring post and creates its next post. Each post has
// its own run, which waits until it is due.
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
