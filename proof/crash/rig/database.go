package rig

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"customerzero/internal/store"
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
	books, err := store.Open(address)
	if err != nil {
		return err
	}
	defer func() { _ = books.Close() }()
	return books.Migrate(ctx)
}
