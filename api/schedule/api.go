// Package schedule answers for when posts go out: the calendar, posting times, recurring posts and posting controls.
package schedule

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/api/posts"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/schedule"
)

// API answers every operation of this feature.
type API struct {
	Audits         httpapi.AuditStore
	Bot            BotStore
	Now            func() time.Time
	Store          Store
	Runs           Runs
	RecurringPosts RecurringPostStore
	Site           httpapi.Site
	PostingTimes   PostingTimesStore
	Posts          *posts.API
}

// BotStore keeps what the bot posts with. *store.Bot implements it.
type BotStore interface {
	Controls(ctx context.Context) (bot.PostingControls, error)
	SetControls(ctx context.Context, c bot.ControlsChange, by string, at time.Time) (was, is bot.PostingControls, err error)
}

// Store keeps posts and slots. *store.Posts implements it.
type Store interface {
	Budget(ctx context.Context, month post.Month, holder *string) (post.Budget, error)
	DuePosts(ctx context.Context, now time.Time) ([]post.Post, error)
	ListedPost(ctx context.Context, id string) (post.Listed, error)
	Overdue(ctx context.Context, now time.Time) (int, error)
	PostsBetween(ctx context.Context, from, to time.Time, viewer *post.Viewer, limit int) (found []post.Listed, cut bool, err error)
	TextOpenBeside(ctx context.Context, text, id string) (bool, error)
	ToCompare(ctx context.Context, since time.Time, viewer *post.Viewer) ([]post.Post, error)
	ToReview(ctx context.Context) (int, error)
}

// Runs starts flows and gives them orders. *client.Client implements it.
type Runs interface {
	ScheduleRecurringPost(ctx context.Context, r schedule.RecurringPost) error
	WakePost(ctx context.Context, p post.Post) error
}
