package rig

import (
	"context"
	"database/sql"
	"path/filepath"
	"time"

	_ "modernc.org/sqlite" // the driver of books

	"customerzero/proof/cluster"
)

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
