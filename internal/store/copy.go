package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
)

// CopySQLite writes a whole and sound copy of an SQLite database to a new file, while others
// use it: it is the moment at which the copy began.
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
