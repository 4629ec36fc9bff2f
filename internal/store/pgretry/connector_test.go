package pgretry

import (
	"context"
	"database/sql/driver"
	"net"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"customerzero/internal/domain/problem"
)

type silent struct{}

func (silent) Connect(context.Context) (driver.Conn, error) {
	return nil, &net.OpError{Op: "dial", Err: os.ErrDeadlineExceeded}
}

func (silent) Driver() driver.Driver { return nil }

func TestConnectWaitsForKnownServer(t *testing.T) {
	t.Parallel()
	c := Connector{Connector: silent{}}
	ctx, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	_, err := c.Connect(ctx)
	require.NotErrorIs(t, err, problem.ErrAway, "it never answered, so the address may be wrong")
	c.seen.Store(true)
	_, err = c.Connect(ctx)
	require.ErrorIs(t, err, problem.ErrAway)
}
