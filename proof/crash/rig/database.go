package rig

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver of Books

	"customerzero/internal/store"
	"customerzero/proof/cluster"
)

// Kinds are the databases that the product runs on, alone; a Cluster has the latter.
var Kinds = []string{"sqlite", "postgres"}

// Database is a database of the product's, and what we can do to it.
type Database interface {
	// address is what the product is told.
	address() string
	// Books reads it without passing through what is cut.
	Books() *sql.DB
	// cut keeps the product from writing for a while.
	cut(ctx context.Context, length time.Duration) error
	close()
}

func openDatabase(ctx context.Context, o Options, kind, dir string) (Database, error) {
	switch kind {
	case "sqlite":
		return openFile(ctx, dir)
	case "postgres", Cluster:
		return openServer(ctx, o.Postgres)
	case Mortal:
		return openMortal(ctx)
	}
	return nil, fmt.Errorf("there is no database %q: use sqlite, postgres, mortal or cluster", kind)
}

func migrate(ctx context.Context, address string) error {
	db, err := store.Open(address)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return db.Migrate(ctx)
}

// file is an SQLite database. It is cut by a writer that does not come to an end; the
// product gives up long before.
type file struct {
	path string
	db   *sql.DB
}

func openFile(ctx context.Context, dir string) (Database, error) {
	f := &file{path: filepath.Join(dir, "customerzero.db")}
	if err := migrate(ctx, f.address()); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "file:"+f.path+"?_pragma=busy_timeout(10000)")
	f.db = db
	return f, err
}

func (f *file) address() string { return "sqlite:" + f.path + "?busy_timeout=500ms" }
func (f *file) Books() *sql.DB  { return f.db }
func (f *file) close()          { _ = f.db.Close() }

func (f *file) cut(ctx context.Context, length time.Duration) error {
	holder, err := f.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = holder.Close() }()
	if _, err := holder.ExecContext(ctx, "BEGIN EXCLUSIVE"); err != nil {
		return err
	}
	cluster.Wait(ctx, length)
	_, err = holder.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	return err
}
