package instance

import (
	"context"
	"time"

	"customerzero/api"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
	"customerzero/internal/store"
)

// posts and account are the database of the API, as far as its operations that are served here
// read them. The rest of the interfaces is nobody: no request gets that far.
type posts struct {
	api.PostStore
	db *database
}

func (p posts) PublishedPosts(ctx context.Context, limit, offset int) (listed []post.Listed, total int, err error) {
	listed, err = read(p.db, func(db *store.DB) (found []post.Listed, err error) {
		found, total, err = db.Posts.PublishedPosts(ctx, limit, offset)
		return found, err
	})
	return listed, total, err
}

func (p posts) SponsoredPublished(ctx context.Context) (int, error) {
	return read(p.db, func(db *store.DB) (int, error) { return db.Posts.SponsoredPublished(ctx) })
}

func (p posts) MonthUsage(ctx context.Context, month post.Month) (post.MonthUsage, error) {
	return read(p.db, func(db *store.DB) (post.MonthUsage, error) { return db.Posts.MonthUsage(ctx, month) })
}

func (p posts) ReadUsage(ctx context.Context, month post.Month) (post.ReadUsage, error) {
	return read(p.db, func(db *store.DB) (post.ReadUsage, error) { return db.Posts.ReadUsage(ctx, month) })
}

func (p posts) SuccessSince(ctx context.Context, since time.Time) (published, failed int, err error) {
	published, err = read(p.db, func(db *store.DB) (n int, err error) {
		n, failed, err = db.Posts.SuccessSince(ctx, since)
		return n, err
	})
	return published, failed, err
}

func (p posts) LastAttempt(ctx context.Context) (*post.Attempt, error) {
	return read(p.db, func(db *store.DB) (*post.Attempt, error) { return db.Posts.LastAttempt(ctx) })
}

type account struct {
	api.BotStore
	db *database
}

func (a account) Connection(ctx context.Context) (*bot.Connection, error) {
	return read(a.db, func(db *store.DB) (*bot.Connection, error) { return db.Bot.Connection(ctx) })
}

func (a account) Brakes(ctx context.Context) (bot.PostingControls, error) {
	return read(a.db, func(db *store.DB) (bot.PostingControls, error) { return db.Bot.Brakes(ctx) })
}
