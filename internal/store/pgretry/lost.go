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

// Lost says whether an error means that the connection is gone. Whether what was asked last was
// done is not known then.
func Lost(err error) bool {
	if err == nil {
		return false
	}
	if said, ok := errors.AsType[*pgconn.PgError](err); ok {
		return Refused(err) || said.Code == crashShutdown
	}
	for _, end := range []error{driver.ErrBadConn, errInDoubt, pgconn.ErrConnClosed, io.EOF, io.ErrUnexpectedEOF, syscall.ECONNRESET, syscall.EPIPE, net.ErrClosed} {
		if errors.Is(err, end) {
			return true
		}
	}
	return Unsent(err)
}

// errInDoubt stands for driver.ErrBadConn where a statement may have been done.
var errInDoubt = errors.New("the connection ended, and nobody knows with what")

// Unsent says whether a statement, a COMMIT included, never left: the connection was found dead
// before. That it is closed (pgconn.ErrConnClosed) does not say so: pgx also says it, and calls it safe
// to try again, when a statement was sent and the connection ended before its answer.
func Unsent(err error) bool {
	ended := errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
	return pgconn.SafeToRetry(err) && !ended && !errors.Is(err, pgconn.ErrConnClosed)
}

// Refused says whether the server let go of the connection in good order, and said so: what it
// was asked last it has not done, a COMMIT included. A backend that is told to end looks for that
// before a statement and while it waits for one, and not between a commit and its answer; one that
// had to wait for a standby after its commit gives no answer at all. A crash (57P02) comes at any
// moment. The codes are in PostgreSQL's appendix A, class 57.
func Refused(err error) bool {
	said, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (said.Code == adminShutdown || said.Code == cannotConnectNow)
}

// Outdated says whether a statement was not run because a table that it reads has other columns than
// when it was prepared: a migration came by. The code is that of everything not supported; what the
// server calls its routine is the same in all languages.
func Outdated(err error) bool {
	said, ok := errors.AsType[*pgconn.PgError](err)
	return ok && said.Code == notSupported && said.Routine == "RevalidateCachedQuery"
}

const (
	notSupported     = "0A000"
	adminShutdown    = "57P01"
	crashShutdown    = "57P02"
	cannotConnectNow = "57P03"
)

// gone marks what people are to be told: that the database is away, and not that we made a mistake.
func gone(err error) error {
	if Lost(err) || errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("%w: %w", problem.ErrAway, err)
	}
	return err
}

// away says whether a server that cannot be connected to may soon be.
func away(err error) bool {
	return Lost(err) || errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, os.ErrDeadlineExceeded)
}
