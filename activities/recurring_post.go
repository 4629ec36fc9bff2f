package activities

import (
	"context"
	"time"

	"customerzero/internal/domain/post"
	"customerzero/internal/domain/schedule"
)

// RecurringPost holds the activities of recurring posts.
type RecurringPost struct {
	Store RecurringPostStore
	Posts PostReader
	Runs  RecurringPostRuns
	Now   func() time.Time
}

// RecurringPostStore stores recurring posts. *store.RecurringPosts implements it.
type RecurringPostStore interface {
	PlanRecurringPost(ctx context.Context, id string, now time.Time) (r schedule.RecurringPost, changedIDs []string, err error)
	RecurringPost(ctx context.Context, id string) (schedule.RecurringPost, error)
}

// PostReader reads a post. *store.Posts implements it.
type PostReader interface {
	Post(ctx context.Context, id string) (post.Post, error)
}

// RecurringPostRuns starts and signals runs, and updates schedules. *client.Client implements it.
type RecurringPostRuns interface {
	StartPost(ctx context.Context, p post.Post) (runID string, err error)
	WakePost(ctx context.Context, p post.Post) error
	ScheduleRecurringPost(ctx context.Context, r schedule.RecurringPost) error
}

type RecurringPostRef struct{ RecurringPostID string }

// PlanRecurringPostResult is the outcome of a plan.
type PlanRecurringPostResult struct {
	State   schedule.RecurringState
	PostIDs []string // created or cancelled
}

// PlanRecurringPost settles the passed times and creates the next post. Safe to repeat.
func (a *RecurringPost) PlanRecurringPost(ctx context.Context, in RecurringPostRef) (PlanRecurringPostResult, error) {
	r, changedIDs, err := a.Store.PlanRecurringPost(ctx, in.RecurringPostID, a.Now())
	return PlanRecurringPostResult{r.State, changedIDs}, err
}

type NotifyPostsInput struct {
	RecurringPostID string
	PostIDs         []string
}

// NotifyPosts starts the runs of created posts, signals those of cancelled posts, and updates the
// schedule. Safe to repeat.
func (a *RecurringPost) NotifyPosts(ctx context.Context, in NotifyPostsInput) (Done, error) {
	for _, id := range in.PostIDs {
		if err := a.notify(ctx, id); err != nil {
			return Done{}, err
		}
	}
	r, err := a.Store.RecurringPost(ctx, in.RecurringPostID)
	if err != nil {
		return Done{}, err
	}
	return Done{}, a.Runs.ScheduleRecurringPost(ctx, r)
}

func (a *RecurringPost) notify(ctx context.Context, postID string) error {
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
