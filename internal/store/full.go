package store

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"
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
