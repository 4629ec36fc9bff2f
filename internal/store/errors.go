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

// marked says of the error of a change what people are to be told: that the database has no room, or
// is away. Neither is a problem of the caller's: flows try again.
func marked(err error) error {
	switch {
	case full(err):
		return fmt.Errorf("%w: %w", problem.ErrNoRoom, err)
	case pgretry.Lost(err) && !errors.Is(err, problem.ErrAway):
		return fmt.Errorf("%w: %w", problem.ErrAway, err)
	}
	return err
}

// full says whether nothing was changed because nothing could be written.
func full(err error) bool {
	if said, ok := errors.AsType[*pgconn.PgError](err); ok {
		return said.Code == diskFull
	}
	said, ok := errors.AsType[*modernc.Error](err)
	if !ok {
		return false
	}
	switch said.Code() {
	case codes.SQLITE_FULL, codes.SQLITE_IOERR_WRITE, codes.SQLITE_IOERR_SHMSIZE:
		return true
	}
	return false
}

// diskFull is Postgres' word for it.
const diskFull = "53100"

// ErrAddress is the kind of error of an address that names no database.
var ErrAddress = errors.New("DATABASE_URL cannot be read")

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

// errNoKeys means that nobody called UseKeys.
var errNoKeys = errors.New("the store was opened without SECRET_KEYS")
