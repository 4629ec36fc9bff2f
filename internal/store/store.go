// Package store keeps the facts: posts, slots, members, credits, reads. GORM and SQL stay
// inside; callers see plain types and problems. Every change is one transaction, and every
// limit is a row that the database refuses.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/clause"
	"gorm.io/gorm/logger"

	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/keyring"
	"customerzero/internal/platform/telemetry"
	"customerzero/internal/store/pgretry"
)

// Store is an open database.
type Store struct {
	db      *gorm.DB
	dialect string // "postgres" or "sqlite": also the folder of its migrations
	// writing is one writer's place. SQLite has one writer at a time; ours wait for it here, in
	// order, because its own waiting is a lottery that some lose for seconds.
	writing  chan struct{}
	keys     *keyring.Ring
	tally    tally
	outcomes outcomes
}

// ErrAddress is the kind of error of an address that names no database.
var ErrAddress = errors.New("DATABASE_URL cannot be read")

// Open opens Postgres for a postgres:// URL, or an SQLite file for sqlite:path. It does
// not touch the schema.
func Open(address string) (*Store, error) {
	name, dialector, err := dialectOf(address)
	if err != nil {
		return nil, err
	}
	// GORM could cache prepared statements, too: then who has the last connection may wait for who
	// waits for it. The driver of Postgres has a cache for each connection.
	db, err := gorm.Open(dialector, &gorm.Config{
		TranslateError: true, SkipDefaultTransaction: true, DisableAutomaticPing: true,
		NowFunc: now, Logger: logger.Discard, // callers log what is theirs; statements could hold values
	})
	if err != nil {
		return nil, cleaned(err)
	}
	if err := inSpans(db); err != nil {
		return nil, err
	}
	pool, err := db.DB()
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(usualConnections)
	pool.SetMaxIdleConns(maxIdle)
	pool.SetConnMaxIdleTime(5 * time.Minute)
	return &Store{db: db, dialect: name, writing: make(chan struct{}, 1)}, nil
}

func dialectOf(address string) (string, gorm.Dialector, error) {
	switch {
	case strings.HasPrefix(address, "postgres://"), strings.HasPrefix(address, "postgresql://"):
		server, err := pgretry.Open(address)
		if err != nil {
			return "", nil, fmt.Errorf("%w: it is not of the form postgres://user:password@host:port/name", ErrAddress)
		}
		return "postgres", postgres.New(postgres.Config{Conn: sql.OpenDB(server)}), nil
	case strings.HasPrefix(address, sqliteScheme):
		dsn, err := sqliteDSN(address)
		return "sqlite", openSQLite(dsn), err
	}
	return "", nil, fmt.Errorf("%w: it is neither postgres://… nor sqlite:path", ErrAddress)
}

// usualConnections are enough for a process that serves, or runs flows.
const usualConnections = 16

// UseConnections bounds the connections. All replicas share those of one server.
func (s *Store) UseConnections(n int) error {
	pool, err := s.db.DB()
	if err == nil {
		pool.SetMaxOpenConns(n)
	}
	return err
}

// Ping says whether the database answers.
func (s *Store) Ping(ctx context.Context) error {
	pool, err := s.db.DB()
	if err != nil {
		return err
	}
	return cleaned(pool.PingContext(ctx))
}

// Close gives the connections back.
func (s *Store) Close() error {
	pool, err := s.db.DB()
	if err != nil {
		return err
	}
	return pool.Close()
}

// inTx runs a change as one transaction, or as a part of the one that the context is of.
func (s *Store) inTx(ctx context.Context, change func(tx *gorm.DB) error) (err error) {
	if whole := wholeOf(ctx); whole != nil {
		return whole.WithContext(ctx).Transaction(change)
	}
	ctx, end := telemetry.Span(ctx, "transaction")
	defer func() { end(err) }()
	if s.dialect == "sqlite" {
		select {
		case s.writing <- struct{}{}:
			defer func() { <-s.writing }()
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return marked(again(ctx, func() (anew bool, err error) {
		committing := false
		err = s.db.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
			err := change(tx)
			committing = err == nil
			return err
		})
		return pgretry.Refused(err) || pgretry.Unsent(err) || pgretry.Outdated(err) || !committing && pgretry.Lost(err), err
	}))
}

// now is UTC in whole microseconds: what both databases keep.
func now() time.Time { return stamp(time.Now()) }

func stamp(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// asProblem translates the errors callers can act on.
func asProblem(err error, what string) error {
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return problem.New(problem.NotFound, "There is no such %s.", what)
	}
	return err
}

// cleaned keeps a password of the address out of error texts.
func cleaned(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if i := strings.Index(text, "postgres://"); i >= 0 {
		return fmt.Errorf("%s(address hidden)", text[:i])
	}
	return err
}

// forChange locks a row that is about to change. It is the weaker of Postgres' two write
// locks: rows that only refer to this one (a new post to its member) need not wait, and
// two changes cannot wait for one another through them.
var forChange = clause.Locking{Strength: "NO KEY UPDATE"}
