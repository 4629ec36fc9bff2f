// Package store reads and writes the database: posts, slots, members, credits, reads. GORM and SQL stay
// inside; callers get domain types and problems. Every change is one transaction, and the database
// enforces every limit with a constraint.
package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
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

// DB is an open database. Its fields read and change the rows, one per aggregate.
type DB struct {
	gorm *gorm.DB // its Name is "postgres" or "sqlite": also the folder of its migrations
	pool *sql.DB
	// writing holds one token. SQLite allows one writer at a time and does not queue the others fairly, so a
	// writer could wait for seconds; writers of this process queue here in order.
	writing chan struct{}
	keys    *keyring.Ring
	file    string                      // of SQLite
	opened  atomic.Pointer[fs.FileInfo] // the file when CheckReachable was first called

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
	// GORM's own statement cache stays off, because it can deadlock when the pool has no free connection.
	// The Postgres driver caches statements per connection.
	db, err := gorm.Open(dialector, &gorm.Config{
		TranslateError: true, SkipDefaultTransaction: true, DisableAutomaticPing: true,
		NowFunc: now, Logger: logger.Discard, // callers log errors; statements may contain personal data
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
	opened := newDB(db, pool)
	opened.file = SQLitePath(address)
	return opened, nil
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
			return nil, fmt.Errorf("%w: use postgres://user:password@host:port/name", ErrAddress)
		}
		return postgres.New(postgres.Config{Conn: sql.OpenDB(server)}), nil
	case strings.HasPrefix(address, sqliteScheme):
		dsn, err := sqliteDSN(address)
		return openSQLite(dsn), err
	}
	return nil, fmt.Errorf("%w: use postgres://user:password@host:port/name or sqlite:path", ErrAddress)
}

// usualConnections is the pool size of a process that serves requests or runs workflows.
const usualConnections = 16

// UseConnections sets the pool size. All instances share the server's connection limit.
func (s *DB) UseConnections(n int) { s.pool.SetMaxOpenConns(n) }

// Ping returns an error if the database does not answer.
func (s *DB) Ping(ctx context.Context) error { return redacted(s.pool.PingContext(ctx)) }

// CheckReachable returns an error if the database does not answer, or if its SQLite file was removed or replaced: then
// the process would use a file that no other process can open.
func (s *DB) CheckReachable(ctx context.Context) error {
	if err := s.Ping(ctx); err != nil || s.file == "" {
		return err
	}
	now, err := os.Stat(s.file)
	if err != nil {
		return err
	}
	if !s.opened.CompareAndSwap(nil, &now) && !os.SameFile(*s.opened.Load(), now) {
		return errors.New("the database file was replaced while it was in use")
	}
	return nil
}

// Close closes all connections.
func (s *DB) Close() error { return s.pool.Close() }

// CheckDurable returns an error that names the PostgreSQL settings with which a crash can lose committed
// changes: a lost post would be sent again. SQLite is always opened with full durability.
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
		return errors.New("PostgreSQL can lose committed changes in a crash: turn on " + strings.Join(names, ", "))
	}
	return nil
}

// PoolStats returns the statistics of the connection pool.
func (s *DB) PoolStats() sql.DBStats { return s.pool.Stats() }

// classified marks errors of a full or unreachable database. Neither is the caller's fault, so flows
// retry them.
func classified(err error) error {
	switch {
	case OutOfSpace(err):
		return fmt.Errorf("%w: %w", problem.ErrNoRoom, err)
	case pgretry.Lost(err) && !errors.Is(err, problem.ErrAway):
		return fmt.Errorf("%w: %w", problem.ErrAway, err)
	}
	return err
}

// OutOfSpace reports whether a change failed because the disk is full.
func OutOfSpace(err error) bool {
	if errors.Is(err, syscall.ENOSPC) {
		return true
	}
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

// diskFull is PostgreSQL's SQLSTATE for a full disk.
const diskFull = "53100"

// ErrAddress marks errors of an invalid DATABASE_URL.
var ErrAddress = errors.New("DATABASE_URL is invalid")

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

var errNoKeys = errors.New("the store was opened without SECRET_KEYS")
