package supervisor

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"strings"

	"modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"customerzero/internal/domain/problem"
)

// readOnly opens a database for one look.
func readOnly(path string) (*sql.DB, error) {
	return sql.Open("sqlite", "file:"+(&url.URL{Path: path}).EscapedPath()+"?mode=ro&_pragma=busy_timeout(500)")
}

// inspectDatabase reads all of a database and says what is wrong with it, as a sentence.
func inspectDatabase(ctx context.Context, path string) error {
	db, err := readOnly(path)
	if err != nil {
		return damaged(err)
	}
	defer func() { _ = db.Close() }()
	var found string
	if err := db.QueryRowContext(ctx, "PRAGMA integrity_check(1)").Scan(&found); err != nil {
		if ctx.Err() != nil {
			return problem.New(problem.CellRefused, "The database did not answer in time.")
		}
		return damaged(err)
	}
	if found != "ok" {
		return damaged(errors.New(found))
	}
	var tables int
	if err := db.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&tables); err != nil {
		return damaged(err)
	}
	if tables == 0 {
		return problem.New(problem.CellRefused, "The database is empty.")
	}
	return nil
}

// damaged puts what SQLite says into a sentence. It has no paths in its words, but where it
// cannot open a file.
func damaged(err error) error {
	failure, ok := errors.AsType[*sqlite.Error](err)
	switch {
	case ok && failure.Code()&0xff == codes.SQLITE_CANTOPEN:
		return problem.New(problem.CellRefused, "The database file cannot be opened.")
	case ok && failure.Code()&0xff == codes.SQLITE_BUSY:
		return problem.New(problem.CellRefused, "The database is busy and cannot be looked at.")
	}
	what := strings.Join(strings.Fields(err.Error()), " ")
	return problem.New(problem.CellRefused, "The database is damaged: %s.", strings.TrimSuffix(what, "."))
}

// vacuumInto writes a clean copy of a database to a new file.
func vacuumInto(ctx context.Context, path, copied string) error {
	db, err := readOnly(path)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", copied)
	return err
}
