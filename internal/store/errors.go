package store

import (
	"errors"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"
	"gorm.io/gorm"
	modernc "modernc.org/sqlite"
	codes "modernc.org/sqlite/lib"

	"customerzero/internal/domain/problem"
	"customerzero/internal/store/pgretry"
)

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
