package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
	modernc "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"
)

const sqliteScheme = "sqlite:"

// cgoFree is GORM's SQLite dialect on a driver that needs no C compiler.
type cgoFree struct{ sqlite.Dialector }

func openSQLite(dsn string) gorm.Dialector {
	return &cgoFree{sqlite.Dialector{DriverName: "sqlite", DSN: dsn}}
}

// sqliteDSN turns "sqlite:path?busy_timeout=10s" into the driver's own form. Writers
// queue at BEGIN (_txlock) instead of failing at their first write, times are stored so
// that SQL can read them (_time_format), and a commit survives a power cut (FULL).
func sqliteDSN(address string) (string, error) {
	path, options, _ := strings.Cut(strings.TrimPrefix(address, sqliteScheme), "?")
	query, err := url.ParseQuery(options)
	if err != nil || path == "" {
		return "", fmt.Errorf("%w: it is not of the form sqlite:path?busy_timeout=10s", ErrAddress)
	}
	busy := 10 * time.Second
	if s := query.Get("busy_timeout"); s != "" {
		if busy, err = time.ParseDuration(s); err != nil {
			return "", fmt.Errorf("%w: busy_timeout is not a duration like 10s", ErrAddress)
		}
	}
	return fmt.Sprintf("file:%s?_pragma=busy_timeout(%d)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"+
		"&_pragma=foreign_keys(1)&_txlock=immediate&_time_format=sqlite", (&url.URL{Path: path}).EscapedPath(), busy.Milliseconds()), nil
}

// Translate names the constraint errors of this driver, which GORM does not know.
func (*cgoFree) Translate(err error) error {
	if e, ok := errors.AsType[*modernc.Error](err); ok {
		switch e.Code() {
		case codes.SQLITE_CONSTRAINT_UNIQUE, codes.SQLITE_CONSTRAINT_PRIMARYKEY:
			return gorm.ErrDuplicatedKey
		case codes.SQLITE_CONSTRAINT_CHECK:
			return gorm.ErrCheckConstraintViolated
		case codes.SQLITE_CONSTRAINT_FOREIGNKEY:
			return gorm.ErrForeignKeyViolated
		}
	}
	return err
}

// CopySQLite writes a consistent copy of an SQLite database to a new file while the database is in use.
func CopySQLite(ctx context.Context, from, to string) error {
	// Not mode=ro: a file whose log was put away by a clean end could not be opened so.
	db, err := sql.Open("sqlite", "file:"+(&url.URL{Path: from}).EscapedPath()+"?mode=rw&_pragma=busy_timeout(10000)")
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	if _, err := db.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return fmt.Errorf("copy %s: %w", from, err)
	}
	return nil
}

// maxIdle is how many connections are kept for the next caller.
const maxIdle = 8

// Renew closes the connections that are idle, and opens one. A connection to an SQLite file
// remembers pages that may be damaged on disk by now; a new one reads them.
func (s *DB) Renew(ctx context.Context) error {
	s.pool.SetMaxIdleConns(0)
	s.pool.SetMaxIdleConns(maxIdle)
	return s.Ping(ctx)
}

var errInUse = errors.New("the database is in use: what was written is not in its file yet")

// Settle moves what was written from SQLite's log into the database file. It fails while another
// connection reads an older state.
func (s *DB) Settle(ctx context.Context) error {
	var busy, pages, moved int
	if err := s.pool.QueryRowContext(ctx, "PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &pages, &moved); err != nil {
		return err
	}
	if busy != 0 {
		return errInUse
	}
	return nil
}

// SQLitePath is where an address keeps its file; empty: it is none of SQLite's.
func SQLitePath(address string) string {
	path, found := strings.CutPrefix(address, sqliteScheme)
	if !found {
		return ""
	}
	path, _, _ = strings.Cut(path, "?")
	return path
}
