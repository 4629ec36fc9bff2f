// Package pgretry hides short restarts of a Postgres server (upgrade, new setting, failover) from its callers:
// they wait instead of getting an error, as long as no statement can run twice.
//
//   - A failed connection attempt is retried for a while, if an earlier one succeeded: a wrong address fails
//     at once.
//   - A dead connection is replaced if the server reported that it did not run the statement, or if the
//     statement only reads.
//   - Statements that were prepared for an older schema are prepared again.
//
// The caller can repeat a transaction whose connection was lost before COMMIT was sent: see Lost.
package pgretry

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"customerzero/internal/domain/problem"
)

const (
	// patience is how long a server may be unavailable. A restart takes 1 to 3 seconds.
	patience = 8 * time.Second
	// between is the pause between attempts.
	between = 100 * time.Millisecond
)

// Connector connects to one server.
type Connector struct {
	driver.Connector
	seen    atomic.Bool  // it has connected before
	schemas atomic.Int64 // how many schema changes were detected
}

// Open parses a postgres:// address. It does not connect.
func Open(address string) (*Connector, error) {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return nil, err
	}
	if config.ConnectTimeout == 0 || config.ConnectTimeout > connectWithin {
		config.ConnectTimeout = connectWithin
	}
	config.DialFunc = dialer.DialContext
	return &Connector{Connector: stdlib.GetConnector(*config)}, nil
}

// Connect connects, and waits for a server that is being restarted.
func (c *Connector) Connect(ctx context.Context) (driver.Conn, error) {
	giveUp := time.NewTimer(patience)
	defer giveUp.Stop()
	retry := time.NewTicker(between)
	defer retry.Stop()
	for {
		made, err := c.Connector.Connect(ctx)
		if err == nil {
			c.seen.Store(true)
			return c.wrap(made), nil
		}
		if !c.seen.Load() || !away(err) {
			return nil, err
		}
		select {
		case <-ctx.Done():
			return nil, fmt.Errorf("%w: %w", problem.ErrAway, err)
		case <-giveUp.C:
			return nil, fmt.Errorf("%w: %w", problem.ErrAway, err)
		case <-retry.C:
		}
	}
}

func (c *Connector) wrap(made driver.Conn) driver.Conn {
	if plain, ok := made.(*stdlib.Conn); ok {
		return &conn{Conn: plain, server: c, schemas: c.schemas.Load()}
	}
	return made
}

const (
	// connectWithin bounds a connection attempt.
	connectWithin = 5 * time.Second
	// silentFor is how long sent data may stay unacknowledged before the connection is dropped: if the
	// server's machine fails, Linux would wait 15 minutes.
	silentFor = 30 * time.Second
)

var dialer = net.Dialer{
	KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3},
	Control:         giveUpSilent,
}

// conn returns driver.ErrBadConn for a dead connection if the statement did not run, so that
// database/sql repeats it on another connection. Within a transaction it does not.
type conn struct {
	*stdlib.Conn
	busy    bool // in a transaction
	server  *Connector
	schemas int64 // value of server.schemas when this connection's statements were prepared
}

// ResetSession discards statements that were prepared for an older schema.
func (c *conn) ResetSession(ctx context.Context) error {
	if schemas := c.server.schemas.Load(); schemas != c.schemas {
		if c.Conn.Conn().DeallocateAll(ctx) != nil {
			return driver.ErrBadConn
		}
		c.schemas = schemas
	}
	return c.Conn.ResetSession(ctx)
}

func (c *conn) BeginTx(ctx context.Context, options driver.TxOptions) (driver.Tx, error) {
	tx, err := c.Conn.BeginTx(ctx, options)
	if err != nil {
		return nil, dead(err, Lost(err)) // no statement has run yet
	}
	c.busy = true
	return &ending{Tx: tx, conn: c}, nil
}

func (c *conn) ExecContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Result, error) {
	result, err := c.Conn.ExecContext(ctx, query, args)
	return result, c.judge(err, reads(query))
}

func (c *conn) QueryContext(ctx context.Context, query string, args []driver.NamedValue) (driver.Rows, error) {
	rows, err := c.Conn.QueryContext(ctx, query, args)
	return rows, c.judge(err, reads(query))
}

// judge decides whether a failed statement may be repeated on another connection.
func (c *conn) judge(err error, onlyRead bool) error {
	if Outdated(err) {
		c.server.schemas.Add(1) // statements of the other connections are outdated too
	}
	another := !c.busy && (Refused(err) || Outdated(err) || onlyRead && Lost(err))
	if !another && errors.Is(err, driver.ErrBadConn) {
		err = errInDoubt // pgx may call a sent statement unsent: see Unsent
	}
	return dead(err, another)
}

// ending clears conn.busy at the end of a transaction.
type ending struct {
	driver.Tx
	conn *conn
}

func (e *ending) Commit() error {
	e.conn.busy = false
	return gone(e.Tx.Commit())
}

func (e *ending) Rollback() error {
	e.conn.busy = false
	return e.Tx.Rollback()
}

// reads reports whether a statement certainly changes nothing. One that begins with WITH may change
// rows.
func reads(query string) bool {
	const word = "SELECT"
	query = strings.TrimSpace(query)
	return len(query) > len(word) && strings.EqualFold(query[:len(word)], word)
}

func dead(err error, another bool) error {
	if err != nil && another {
		return driver.ErrBadConn
	}
	return gone(err)
}
