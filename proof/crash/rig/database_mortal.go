package rig

import (
	"context"
	"errors"
	"os"
	"time"

	"customerzero/proof/cluster"
	"customerzero/proof/crash/network"
)

// Mortal is the kind of database that is a Postgres server of the crash test's own: it is cut by
// SIGKILL, and started again.
const Mortal = "mortal"

// backWithin is how long a killed server may take to come back. What it left behind has to end
// first, and its log has to be read.
const backWithin = 5 * time.Minute

type mortal struct {
	*server
	dir   string
	owner *cluster.Cluster
}

func openMortal(ctx context.Context) (Database, error) {
	dir, err := os.MkdirTemp("", "customerzero-postgres.") // not below a directory of ours alone: root runs it as somebody else
	if err != nil {
		return nil, err
	}
	m := &mortal{dir: dir}
	if m.owner, err = cluster.StartPostgres(ctx, dir); err == nil {
		m.server, err = openServer(ctx, m.owner.PostgresURL())
	}
	if err != nil {
		m.close()
		return nil, err
	}
	return m, nil
}

// cut returns when the server is back.
func (m *mortal) cut(ctx context.Context, length time.Duration) error {
	if !m.owner.Postgres.Kill(length) {
		return errors.New("the server was dead already")
	}
	cluster.Wait(ctx, length)
	if !cluster.Until(ctx, backWithin, func() bool { return m.owner.Ready(ctx, m.owner.Postgres) }) {
		return errors.New("the server does not come back")
	}
	return nil
}

// Network is the way from the product to the server.
func (m *mortal) Network() *network.Proxy { return m.proxy }

// Kill is cut, for a crash test of its own.
func (m *mortal) Kill(ctx context.Context, length time.Duration) error { return m.cut(ctx, length) }

func (m *mortal) close() {
	if m.server != nil {
		m.server.close()
	}
	if m.owner != nil {
		m.owner.Stop()
	}
	_ = os.RemoveAll(m.dir)
}
