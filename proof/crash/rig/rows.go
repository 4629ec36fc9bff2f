package rig

import (
	"context"
	"database/sql"
)

// Rows reads every row of the query's answer; into says where the columns of one go.
func Rows[T any](ctx context.Context, db *sql.DB, query string, into func(row *T) []any) (all []T, err error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var row T
		if err := rows.Scan(into(&row)...); err != nil {
			return nil, err
		}
		all = append(all, row)
	}
	return all, rows.Err()
}

// Pair is a row of two columns.
type Pair[V any] struct {
	Key   string
	Value V
}

// Pairs reads rows of two columns, by the first.
func Pairs[V any](ctx context.Context, db *sql.DB, query string) (map[string]V, error) {
	rows, err := Rows(ctx, db, query, func(p *Pair[V]) []any { return []any{&p.Key, &p.Value} })
	pairs := map[string]V{}
	for _, p := range rows {
		pairs[p.Key] = p.Value
	}
	return pairs, err
}
