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
	"net"
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
