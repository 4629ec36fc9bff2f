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

// database is the chaos target's database. Open connections cache pages, so the worker renews them in every
// round to detect damage on disk.
type database struct {
	path     string
	prepared bool // schema and first posts exist; used by the worker only
	db       atomic.Pointer[store.DB]
}

var errNotOpen = errors.New("the database of the chaos target could not be opened yet")

// renew makes all readers see the current file. Only the worker calls it.
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
	// A later checkpoint of the log would overwrite damage of the file and hide it.
	if err := db.Settle(ctx); err != nil {
		return err
	}
	d.prepared = true
	return db.Renew(ctx)
}

// open opens a readable database. It checks this first, because each failed store.Open leaks some memory.
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

func read[T any](d *database, query func(*store.DB) (T, error)) (T, error) {
	if db := d.db.Load(); db != nil {
		return query(db)
	}
	var nothing T
	return nothing, errNotOpen
}

func (d *database) close() {
	if db := d.db.Load(); db != nil {
		_ = db.Close()
	}
}

// posts and account implement the reads of the API operations served here. The embedded interfaces are nil,
// because no request calls their other methods.
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
