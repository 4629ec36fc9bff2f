package activities

import (
	"context"
	"time"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/schedule"
)

// RecurringPost holds the activities of posts that recur.
type RecurringPost struct {
	Store RecurringPostStore
	Posts PostReader
	Runs  RecurringPostRuns
	Now   func() time.Time
}

// RecurringPostStore keeps recurring posts. *store.RecurringPosts implements it.
type RecurringPostStore interface {
	PlanRecurringPost(ctx context.Context, id string, now time.Time) (r schedule.RecurringPost, told []string, err error)
	RecurringPost(ctx context.Context, id string) (schedule.RecurringPost, error)
}

// PostReader finds a post. *store.Posts implements it.
type PostReader interface {
	Post(ctx context.Context, id string) (post.Post, error)
}

// RecurringPostRuns is what a plan tells of. *client.Client implements it.
type RecurringPostRuns interface {
	StartPost(ctx context.Context, p post.Post) (runID string, err error)
	WakePost(ctx context.Context, p post.Post) error
	ScheduleRecurringPost(ctx context.Context, r schedule.RecurringPost) error
}

type RecurringPostRef struct{ RecurringPostID string }

// PlanRecurringPostResult says what the plan changed.
type PlanRecurringPostResult struct {
	State   schedule.RecurringState
	PostIDs []string // written, or given up
}

// PlanRecurringPost settles the times that have passed and writes the next post. Safe to repeat.
func (a *RecurringPost) PlanRecurringPost(ctx context.Context, in RecurringPostRef) (PlanRecurringPostResult, error) {
	r, told, err := a.Store.PlanRecurringPost(ctx, in.RecurringPostID, a.Now())
	return PlanRecurringPostResult{r.State, told}, err
}

type NotifyPostsInput struct {
	RecurringPostID string
	PostIDs         []string
}

// NotifyPosts starts the runs of posts that were written, wakes those of posts that were given
// up, and brings the schedule up to date. Safe to repeat.
func (a *RecurringPost) NotifyPosts(ctx context.Context, in NotifyPostsInput) (Done, error) {
	for _, id := range in.PostIDs {
		if err := a.tell(ctx, id); err != nil {
			return Done{}, err
		}
	}
	r, err := a.Store.RecurringPost(ctx, in.RecurringPostID)
	if err != nil {
		return Done{}, err
	}
	return Done{}, a.Runs.ScheduleRecurringPost(ctx, r)
}

func (a *RecurringPost) tell(ctx context.Context, postID string) error {
	p, err := a.Posts.Post(ctx, postID)
	if err != nil {
		return err
	}
	if p.Status == post.StatusScheduled {
		_, err = a.Runs.StartPost(ctx, p)
		return err
	}
	return a.Runs.WakePost(ctx, p)
}
