package pgretry

import (
	"context"
	"database/sql/driver"
	"errors"
	"strings"

	"github.com/jackc/pgx/v5/stdlib"
)

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
