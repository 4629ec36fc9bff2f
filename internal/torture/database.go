package main

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"customerzero/internal/store"
)

// kinds are the databases that the product runs on.
var kinds = []string{"sqlite", "postgres"}

// database is a database of the product's, and what we can do to it.
type database interface {
	// address is what the product is told.
	address() string
	// books reads it without passing through what is cut.
	books() *sql.DB
	// cut keeps the product from writing for a while.
	cut(ctx context.Context, length time.Duration) error
	close()
}

func openDatabase(ctx context.Context, o options, kind, dir string) (database, error) {
	switch kind {
	case "sqlite":
		return openFile(ctx, dir)
	case "postgres":
		return openServer(ctx, o.postgres)
	}
	return nil, fmt.Errorf("there is no database %q: use sqlite or postgres", kind)
}

func migrate(ctx context.Context, address string) error {
	books, err := store.Open(address)
	if err != nil {
		return err
	}
	defer func() { _ = books.Close() }()
	return books.Migrate(ctx)
}
