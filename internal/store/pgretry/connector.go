// Package pgretry connects to a Postgres server that is restarted now and then: for a new minor
// version, a new setting, or because a standby took over. Whoever asks meanwhile waits a little
// instead of getting an error, where that cannot do a thing twice.
//
//   - A connection that cannot be made is tried again for a while, if one was made before: a
//     wrong address is told at once.
//   - A connection that turns out to be dead is exchanged, if the server said that it did not do
//     what it was asked to, or if it was only asked to read.
//   - What was prepared for a schema that has changed since is prepared anew.
//
// A transaction that dies before its COMMIT was sent can be begun anew by whoever knows what was
// in it: see Lost.
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
	// patience is how long a server may be away. A restart takes one to three seconds.
	patience = 8 * time.Second
	// between two tries.
	between = 100 * time.Millisecond
)

// Connector connects to one server.
type Connector struct {
	driver.Connector
	seen    atomic.Bool  // it answered once, so it will again
	schemas atomic.Int64 // how often we have noticed another one
}

// Open reads a postgres:// address. It does not connect.
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

// Connect waits for a server that is being restarted.
func (c *Connector) Connect(ctx context.Context) (driver.Conn, error) {
	giveUp := time.NewTimer(patience)
	defer giveUp.Stop()
	again := time.NewTicker(between)
	defer again.Stop()
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
		case <-again.C:
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
	// connectWithin is how long a server may take to greet us.
	connectWithin = 5 * time.Second
	// silentFor is how long a server may acknowledge nothing that we send before the connection
	// is given up: a machine that is gone says nothing, and the system would wait a quarter of an hour.
	silentFor = 30 * time.Second
)

var dialer = net.Dialer{
	KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3},
	Control:         giveUpSilent,
}

// conn tells database/sql that it is dead (driver.ErrBadConn) whenever that is so and nothing was
// done: database/sql asks another one then. Inside of a transaction there is no other one.
type conn struct {
	*stdlib.Conn
	busy    bool // in a transaction
	server  *Connector
	schemas int64 // that the server had when we prepared our first statement
}

// ResetSession forgets what was prepared for an older schema.
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
		return nil, dead(err, Lost(err)) // nothing has been asked yet
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

// judge says whether what failed may be asked of another connection.
func (c *conn) judge(err error, onlyRead bool) error {
	if Outdated(err) {
		c.server.schemas.Add(1) // what was prepared elsewhere will not do, either
	}
	another := !c.busy && (Refused(err) || Outdated(err) || onlyRead && Lost(err))
	if !another && errors.Is(err, driver.ErrBadConn) {
		err = errInDoubt // what pgx calls unsent may have been sent: see Unsent
	}
	return dead(err, another)
}

// ending notes the end of a transaction.
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

// reads says whether a statement changes nothing. Others may begin with WITH, too.
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
