package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
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

// sqliteDSN converts "sqlite:path?busy_timeout=10s" to the driver's form. Writers queue at BEGIN
// (_txlock) instead of failing at their first write, times are stored so that SQL can read them
// (_time_format), a commit survives a power failure (FULL), and deleted personal data is overwritten (secure_delete).
func sqliteDSN(address string) (string, error) {
	path, options, _ := strings.Cut(strings.TrimPrefix(address, sqliteScheme), "?")
	query, err := url.ParseQuery(options)
	if err != nil || path == "" {
		return "", fmt.Errorf("%w: use sqlite:path?busy_timeout=10s", ErrAddress)
	}
	busy := 10 * time.Second
	if s := query.Get("busy_timeout"); s != "" {
		if busy, err = time.ParseDuration(s); err != nil {
			return "", fmt.Errorf("%w: busy_timeout must be a duration such as 10s", ErrAddress)
		}
	}
	return fmt.Sprintf("file:%s?_pragma=busy_timeout(%d)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"+
		"&_pragma=foreign_keys(1)&_pragma=secure_delete(1)&_txlock=immediate&_time_format=sqlite", (&url.URL{Path: path}).EscapedPath(), busy.Milliseconds()), nil
}

// Translate maps this driver's constraint errors, which GORM does not know, to GORM's errors.
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
	// mode=ro cannot open a file whose write-ahead log was removed by a clean shutdown.
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

// ErrDamaged marks an SQLite file whose pages contradict each other.
var ErrDamaged = errors.New("the database file is damaged")

// CheckIntact reads the whole SQLite file and returns ErrDamaged if it is damaged. PostgreSQL checks its own files.
func (s *DB) CheckIntact(ctx context.Context) error {
	if s.file == "" {
		return nil
	}
	var finding string
	err := s.pool.QueryRowContext(ctx, "PRAGMA quick_check(1)").Scan(&finding)
	if e, ok := errors.AsType[*modernc.Error](err); ok {
		if code := e.Code() & 0xff; code == codes.SQLITE_CORRUPT || code == codes.SQLITE_NOTADB {
			finding, err = e.Error(), nil
		}
	}
	if err == nil && finding != "ok" {
		return fmt.Errorf("%w: %s", ErrDamaged, finding)
	}
	return err
}

const maxIdle = 8

// Renew closes the idle connections and opens a new one. An open connection caches SQLite pages that may
// since have been damaged on disk; a new one reads them again.
func (s *DB) Renew(ctx context.Context) error {
	s.pool.SetMaxIdleConns(0)
	s.pool.SetMaxIdleConns(maxIdle)
	return s.Ping(ctx)
}

var errInUse = errors.New("SQLite's log was not moved to the database file because the database is in use: try again later")

// Settle moves SQLite's write-ahead log into the database file. It fails while another connection reads
// an older state.
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

// settleSoon is Settle for deleted data, of which the log has copies. A later call succeeds if the database is in use.
func (s *DB) settleSoon(ctx context.Context) {
	if s.file == "" {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*time.Second)
	defer cancel()
	if err := s.Settle(ctx); err != nil {
		slog.InfoContext(ctx, "SQLite's log keeps deleted data until the next round", "reason", err)
	}
}

// SQLitePath returns the file of an SQLite address, or "" for any other address.
func SQLitePath(address string) string {
	path, found := strings.CutPrefix(address, sqliteScheme)
	if !found {
		return ""
	}
	path, _, _ = strings.Cut(path, "?")
	return path
}
