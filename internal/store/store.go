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

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/driver/postgres"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	modernc "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"customerzero/internal/domain/problem"
	"customerzero/internal/platform/keyring"
	"customerzero/internal/store/pgretry"
)

// DB is an open database. Its rows are read and changed through its aggregates.
type DB struct {
	gorm *gorm.DB // its Name is "postgres" or "sqlite": also the folder of its migrations
	pool *sql.DB
	// writing is one writer's place. SQLite has one writer at a time; ours wait for it here, in
	// order, because its own waiting is a lottery that some lose for seconds.
	writing chan struct{}
	keys    *keyring.Ring

	Accounts       *Accounts
	AuditLog       *AuditLog
	Bot            *Bot
	Chaos          *Chaos
	Checkouts      *Checkouts
	ClientErrors   *ClientErrors
	Deletions      *Deletions
	Diagnoses      *Diagnoses
	Emails         *Emails
	Experiments    *Experiments
	Generations    *Generations
	Limits         *Limits
	Members        *Members
	ModelCalls     *ModelCalls
	PostingTimes   *PostingTimes
	Posts          *Posts
	RecurringPosts *RecurringPosts
	Stats          *Stats
	Treasury       *Treasury
	Verifications  *Verifications
	Visitors       *Visitors
}

// Open opens Postgres for a postgres:// URL, or an SQLite file for sqlite:path. It does
// not touch the schema.
func Open(address string) (*DB, error) {
	dialector, err := dialectOf(address)
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
		return nil, redacted(err)
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
	return newDB(db, pool), nil
}

func newDB(opened *gorm.DB, pool *sql.DB) *DB {
	db := &DB{gorm: opened, pool: pool, writing: make(chan struct{}, 1)}
	db.Accounts = &Accounts{db: db}
	db.AuditLog = &AuditLog{db: db}
	db.Bot = &Bot{db: db}
	db.Chaos = &Chaos{db: db}
	db.Checkouts = &Checkouts{db: db}
	db.ClientErrors = &ClientErrors{db: db}
	db.Deletions = &Deletions{db: db}
	db.Diagnoses = &Diagnoses{db: db}
	db.Emails = &Emails{db: db}
	db.Experiments = &Experiments{db: db}
	db.Generations = &Generations{db: db}
	db.Limits = &Limits{db: db}
	db.Members = &Members{db: db}
	db.ModelCalls = &ModelCalls{db: db}
	db.PostingTimes = &PostingTimes{db: db}
	db.Posts = &Posts{db: db}
	db.RecurringPosts = &RecurringPosts{db: db}
	db.Stats = &Stats{db: db}
	db.Treasury = &Treasury{db: db}
	db.Verifications = &Verifications{db: db}
	db.Visitors = &Visitors{db: db}
	return db
}

func dialectOf(address string) (gorm.Dialector, error) {
	switch {
	case strings.HasPrefix(address, "postgres://"), strings.HasPrefix(address, "postgresql://"):
		server, err := pgretry.Open(address)
		if err != nil {
			return nil, fmt.Errorf("%w: it is not of the form postgres://user:password@host:port/name", ErrAddress)
		}
		return postgres.New(postgres.Config{Conn: sql.OpenDB(server)}), nil
	case strings.HasPrefix(address, sqliteScheme):
		dsn, err := sqliteDSN(address)
		return openSQLite(dsn), err
	}
	return nil, fmt.Errorf("%w: it is neither postgres://… nor sqlite:path", ErrAddress)
}

// usualConnections are enough for a process that serves, or runs flows.
const usualConnections = 16

// UseConnections bounds the connections. All replicas share those of one server.
func (s *DB) UseConnections(n int) { s.pool.SetMaxOpenConns(n) }

// Ping says whether the database answers.
func (s *DB) Ping(ctx context.Context) error { return redacted(s.pool.PingContext(ctx)) }

// Close gives the connections back.
func (s *DB) Close() error { return s.pool.Close() }

// CheckDurable names the PostgreSQL settings with which committed changes can be lost in a crash: a lost
// post would be sent again. SQLite is always opened with full durability.
func (s *DB) CheckDurable(ctx context.Context) error {
	if s.gorm.Name() != "postgres" {
		return nil
	}
	const off = `SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name`
	var names []string
	if err := s.on(ctx).Raw(off).Scan(&names).Error; err != nil {
		return err
	}
	if len(names) > 0 {
		return errors.New("PostgreSQL forgets changes it has told of when its machine stops: turn on " + strings.Join(names, ", "))
	}
	return nil
}

// PoolStats says how busy the connections are.
func (s *DB) PoolStats() sql.DBStats { return s.pool.Stats() }

// classified marks errors of a full or unreachable database. Neither is the caller's fault, so flows
// retry them.
func classified(err error) error {
	switch {
	case outOfSpace(err):
		return fmt.Errorf("%w: %w", problem.ErrNoRoom, err)
	case pgretry.Lost(err) && !errors.Is(err, problem.ErrAway):
		return fmt.Errorf("%w: %w", problem.ErrAway, err)
	}
	return err
}

// outOfSpace reports whether a change failed because the disk is full.
func outOfSpace(err error) bool {
	if e, ok := errors.AsType[*pgconn.PgError](err); ok {
		return e.Code == diskFull
	}
	e, ok := errors.AsType[*modernc.Error](err)
	if !ok {
		return false
	}
	switch e.Code() {
	case codes.SQLITE_FULL, codes.SQLITE_IOERR_WRITE, codes.SQLITE_IOERR_SHMSIZE:
		return true
	}
	return false
}

// diskFull is Postgres' SQLSTATE.
const diskFull = "53100"

// ErrAddress marks errors of a DATABASE_URL that names no database.
var ErrAddress = errors.New("DATABASE_URL cannot be read")

// asProblem turns a missing row into a problem that names what is missing.
func asProblem(err error, what string) error {
	if errors.Is(err, gorm.ErrRecordNotFound) {
		return problem.New(problem.NotFound, "There is no such %s.", what)
	}
	return err
}

// redacted removes the database's address, which may hold a password, from an error's text.
func redacted(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	if i := strings.Index(text, "postgres://"); i >= 0 {
		return fmt.Errorf("%s(address hidden)", text[:i])
	}
	return err
}

// errNoKeys means that UseKeys was not called.
var errNoKeys = errors.New("the store was opened without SECRET_KEYS")
