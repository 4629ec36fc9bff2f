package pgretry

import (
	"context"
	"database/sql/driver"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
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
			return nil, gone(err)
		case <-giveUp.C:
			return nil, gone(err)
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
