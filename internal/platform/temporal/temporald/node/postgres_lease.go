package node

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
)

// leaseKey is our advisory lock, in a database that nobody else has locks in.
const leaseKey = 7_233_000

const (
	leasePoll  = 50 * time.Millisecond // while another server has it
	leaseWatch = time.Second           // while we have it
)

// lease keeps other servers away from our databases: two would take histories out of each
// other's hands all the time. Postgres gives it free with our connection.
type lease struct {
	postgres *postgres
	logger   *slog.Logger
	conn     *pgx.Conn
	stop     context.CancelFunc
	ended    sync.WaitGroup
}

// takeLease waits for a server that is still stopping.
func takeLease(ctx context.Context, p *postgres, o Options) (*lease, error) {
	l := &lease{postgres: p, logger: o.Logger}
	var err error
	if l.conn, err = p.connect(ctx, p.main.database); err != nil {
		return nil, p.explain(err, p.main.database)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.LockWait, fmt.Errorf("still locked after %v", o.LockWait))
	defer cancel()
	for {
		ours, err := l.try(ctx)
		if ours {
			l.watch()
			return l, nil
		}
		select {
		case <-ctx.Done():
			l.close()
			return nil, fmt.Errorf("database %s is used by another server: %w", p.main.database, context.Cause(ctx))
		case <-time.After(leasePoll):
		}
		if err != nil && ctx.Err() == nil {
			l.close()
			return nil, p.explain(err, p.main.database)
		}
	}
}

func (l *lease) try(ctx context.Context) (ours bool, err error) {
	err = l.conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", leaseKey).Scan(&ours)
	return ours, err
}

// watch takes the lock anew from a Postgres that was started again, and had forgotten it.
func (l *lease) watch() {
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	l.ended.Go(func() {
		tick := time.NewTicker(leaseWatch)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				l.renew(ctx)
			}
		}
	})
}

// renew ends the process when another server has come in between: it works with our data.
func (l *lease) renew(ctx context.Context) {
	if !l.conn.IsClosed() && l.conn.Ping(ctx) == nil {
		return
	}
	l.close()
	conn, err := l.postgres.connect(ctx, l.postgres.main.database)
	if err != nil {
		return // the next time, then
	}
	l.conn = conn
	if ours, err := l.try(ctx); err == nil && !ours {
		l.logger.Error("another server has taken the databases, after Postgres was started again", "database", l.postgres.main.database)
		os.Exit(1)
	}
}

func (l *lease) end() {
	l.stop()
	l.ended.Wait()
	l.close()
}

func (l *lease) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = l.conn.Close(ctx)
}
