package baseline

import (
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	// The drivers are the product's.
	_ "github.com/jackc/pgx/v5/stdlib"
	"gorm.io/driver/postgres"
	"gorm.io/driver/sqlite"
	"gorm.io/gorm"
	"gorm.io/gorm/logger"
	_ "modernc.org/sqlite"
)

// database is the product's database. SQLite has one writer, who has a connection of its own:
// database/sql lets the others wait in line.
type database struct {
	postgres bool
	orm      *gorm.DB
	reading  *sql.DB
	writing  *sql.DB
}

const connections = 16

// open opens the product's database and makes the baseline's tables in it.
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
	// As the product has it: a commit survives a power cut.
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

// words numbers the places of a statement's values, where the database wants it so.
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
