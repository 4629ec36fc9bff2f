package rig

import (
	"context"
	"database/sql"
)

// Scanner reads one row.
type Scanner func(into ...any) error

// Each has every row of the query's answer taken.
func Each(ctx context.Context, db *sql.DB, query string, take func(Scanner) error) error {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		if err := take(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
