// Package baseline is the baseline of the product's API: a minimal server with the same responses. It authenticates
// no user, has no limits, and checks only what the database checks.
//
// It reads the product's database, so that both have the same rows on the same disk, and writes to its own tables.
package baseline

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/gin-gonic/gin"
	_ "github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/postgres"
	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	_ "modernc.org/sqlite"
)

// Settings of the process. They are no arguments, because a URL may contain a password.
const (
	DatabaseSetting = "BASELINE_DATABASE" // as the product's DATABASE_URL
	TemporalSetting = "BASELINE_TEMPORAL" // host:port; empty: no workflows are started
	PageSetting     = "BASELINE_PAGE"     // a file that is served from memory; empty: none
)

// Serve serves until ctx ends or stdin is closed. It prints its address.
func Serve(ctx context.Context) (err error) {
	handler, leave, err := Open(ctx, os.Getenv(DatabaseSetting), os.Getenv(TemporalSetting), os.Getenv(PageSetting))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, leave()) }()
	return answer(ctx, handler)
}

// Open creates a baseline on a product's database; leave closes its connections.
func Open(ctx context.Context, database, temporal, page string) (handler http.Handler, leave func() error, err error) {
	rows, err := open(database)
	if err != nil {
		return nil, nil, err
	}
	flows, err := dial(ctx, temporal)
	if err != nil {
		return nil, nil, errors.Join(err, rows.close())
	}
	gin.SetMode(gin.ReleaseMode)
	router := gin.New()
	routePosts(router, rows)
	routeVotes(router, rows)
	routeSlots(router, rows, flows)
	leave = func() error {
		flows.close()
		return rows.close()
	}
	return router, leave, routePage(router, page)
}

func routePage(router *gin.Engine, file string) error {
	if file == "" {
		return nil
	}
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	router.GET("/page", func(c *gin.Context) { c.Data(http.StatusOK, "text/html; charset=utf-8", page) })
	return nil
}

func answer(ctx context.Context, handler http.Handler) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends with the parent process
		_ = server.Close()
	}()
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	_, _ = fmt.Fprintln(os.Stdout, listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// database is the product's database. SQLite allows one writer, so it has a single writing connection, for which
// database/sql queues.
type database struct {
	postgres bool
	orm      *gorm.DB
	reading  *sql.DB
	writing  *sql.DB
}

const connections = 16

// open opens the product's database and creates the baseline's tables in it.
func open(address string) (*database, error) {
	b, err := connect(address)
	if err != nil {
		return nil, err
	}
	for _, table := range []string{voteTable, slotTable} {
		if _, err := b.writing.Exec(table); err != nil {
			return nil, errors.Join(err, b.close())
		}
	}
	return b, b.openMonths()
}

func connect(address string) (*database, error) {
	path, isFile := strings.CutPrefix(address, "sqlite:")
	if !isFile {
		return openPostgres(address)
	}
	// As in the product: a commit survives a power failure.
	dsn := fmt.Sprintf("file:%s?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)"+
		"&_txlock=immediate&_time_format=sqlite", path)
	reading, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	reading.SetMaxOpenConns(connections)
	reading.SetMaxIdleConns(connections)
	writing, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, err
	}
	writing.SetMaxOpenConns(1)
	writing.SetConnMaxIdleTime(time.Minute)
	orm, err := gorm.Open(sqlite.Dialector{Conn: reading}, &gorm.Config{SkipDefaultTransaction: true, Logger: logger.Discard})
	return &database{orm: orm, reading: reading, writing: writing}, err
}

func openPostgres(address string) (*database, error) {
	pool, err := sql.Open("pgx", address)
	if err != nil {
		return nil, err
	}
	pool.SetMaxOpenConns(connections)
	pool.SetMaxIdleConns(connections)
	orm, err := gorm.Open(postgres.New(postgres.Config{Conn: pool}), &gorm.Config{SkipDefaultTransaction: true, Logger: logger.Discard})
	return &database{postgres: true, orm: orm, reading: pool, writing: pool}, err
}

func (b *database) close() error {
	if b.reading != b.writing {
		_ = b.reading.Close()
	}
	return b.writing.Close()
}

// words numbers the placeholders of a statement for Postgres.
func (b *database) words(statement string) string {
	if !b.postgres {
		return statement
	}
	var numbered strings.Builder
	for n := 1; ; n++ {
		before, after, found := strings.Cut(statement, "?")
		numbered.WriteString(before)
		if !found {
			return numbered.String()
		}
		fmt.Fprintf(&numbered, "$%d", n)
		statement = after
	}
}
