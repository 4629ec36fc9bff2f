package pgretry

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"syscall"

	"github.com/jackc/pgx/v5/pgconn"

	"customerzero/internal/domain/problem"
)

// Lost reports whether an error means that the connection is gone. Whether the last statement ran is
// then unknown.
func Lost(err error) bool {
	if err == nil {
		return false
	}
	if reported, ok := errors.AsType[*pgconn.PgError](err); ok {
		return Refused(err) || reported.Code == crashShutdown
	}
	for _, end := range []error{driver.ErrBadConn, errInDoubt, pgconn.ErrConnClosed, io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, net.ErrClosed} {
		if errors.Is(err, end) {
			return true
		}
	}
	return Unsent(err)
}

// errInDoubt replaces driver.ErrBadConn if the statement may have run.
var errInDoubt = errors.New("the connection was lost, and the statement may have run")

// Unsent reports whether a statement, including COMMIT, was never sent because the connection was
// already dead. pgconn.ErrConnClosed does not prove it: pgx also returns it, marked safe to retry, if
// the connection ended between the statement and its answer.
func Unsent(err error) bool {
	ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	return pgconn.SafeToRetry(err) && !ended && !errors.Is(err, pgconn.ErrConnClosed)
}

// Refused reports whether the server closed the connection with the error of an orderly shutdown: it did
// not run the last statement, including COMMIT. A backend checks for termination before a statement and
// while it waits for one, not between a commit and its answer; one that waited for a standby after its
// commit does not answer at all. A crash (57P02) can happen at any moment. The codes are in PostgreSQL's
// appendix A, class 57.
func Refused(err error) bool {
	reported, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (reported.Code == adminShutdown || reported.Code == cannotConnectNow)
}

// Outdated reports whether a statement did not run because a migration changed the columns of a table
// since it was prepared. Its code covers everything unsupported, so the routine is checked too; it is
// the same in all languages.
func Outdated(err error) bool {
	reported, ok := errors.AsType[*pgconn.PgError](err)
	return ok && reported.Code == notSupported && reported.Routine == "RevalidateCachedQuery"
}

const (
	notSupported     = "0A000"
	adminShutdown    = "57P01"
	crashShutdown    = "57P02"
	cannotConnectNow = "57P03"
)

// gone marks errors of an unavailable database, so that callers do not get an internal error.
func gone(err error) error {
	if Lost(err) || errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("%w: %w", problem.ErrAway, err)
	}
	return err
}

// away reports whether a server that refused a connection may soon be available.
func away(err error) bool {
	return Lost(err) || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, os.ErrDeadlineExceeded)
}
