package store

import (
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
