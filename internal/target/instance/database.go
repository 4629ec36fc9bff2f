package instance

import (
	"context"
	"database/sql"
	"errors"
	"sync/atomic"
	"time"

	"customerzero/internal/store"
)

// database is the chaos target's own. An open connection remembers pages that are damaged on disk by
// now, so its connections are renewed in every round of the worker.
type database struct {
	path     string
	prepared bool // the schema and the first posts are there; the worker's alone
	db       atomic.Pointer[store.DB]
}

var errNotOpen = errors.New("the database of the cell could not be opened yet")

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

// read lets somebody look into the database.
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
