package instance

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/bot"
	"customerzero/internal/domain/post"
	"customerzero/internal/store"
)

// database is the chaos target's own. An open connection remembers pages that are damaged on disk by
// now, so its connections are renewed in every round of the worker.
type database struct {
	path     string
	prepared bool // the schema and the first posts are there; the worker's alone
	db       atomic.Pointer[store.DB]
}

var errNotOpen = errors.New("the database of the chaos target could not be opened yet")

// renew makes everybody read the file as it is now. Only the worker calls it.
func (d *database) renew(ctx context.Context) error {
	db := d.db.Load()
	if db == nil {
		var err error
		if db, err = open(ctx, d.path); err != nil {
			return err
		}
		d.db.Store(db)
	}
	if err := db.Renew(ctx); err != nil || d.prepared {
		return err
	}
	if err := prepare(ctx, db, time.Now()); err != nil {
		return err
	}
	// What lay in the log alone would be written over later damage of the file, and hide it.
	if err := db.Settle(ctx); err != nil {
		return err
	}
	d.prepared = true
	return db.Renew(ctx)
}

// open opens a file that can be read at all: each try at one that cannot would cost some
// memory for ever, and there may be many.
func open(ctx context.Context, path string) (*store.DB, error) {
	file, err := sql.Open("sqlite", "file:"+path)
	if err != nil {
		return nil, err
	}
	var version int
	err = file.QueryRowContext(ctx, "PRAGMA schema_version").Scan(&version)
	if err := errors.Join(err, file.Close()); err != nil {
		return nil, err
	}
	return store.Open("sqlite:" + path + "?busy_timeout=500ms")
}

// read runs a query on the database.
func read[T any](d *database, look func(*store.DB) (T, error)) (T, error) {
	if db := d.db.Load(); db != nil {
		return look(db)
	}
	var nothing T
	return nothing, errNotOpen
}

func (d *database) close() {
	if db := d.db.Load(); db != nil {
		_ = db.Close()
	}
}

// posts and account are the database of the API, as far as its operations that are served here
// read them. The rest of the interfaces is nil: no request gets that far.
type posts struct {
	httpapi.PostStore
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
	httpapi.BotStore
	db *database
}

func (a account) Connection(ctx context.Context) (*bot.Connection, error) {
	return read(a.db, func(db *store.DB) (*bot.Connection, error) { return db.Bot.Connection(ctx) })
}

func (a account) Controls(ctx context.Context) (bot.PostingControls, error) {
	return read(a.db, func(db *store.DB) (bot.PostingControls, error) { return db.Bot.Controls(ctx) })
}
