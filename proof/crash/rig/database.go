package rig

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib" // the driver of who makes databases
	"github.com/rs/xid"
	_ "modernc.org/sqlite" // the driver of Books

	"customerzero/internal/store"
	"customerzero/internal/store/pgretry"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/network"
)

// Kinds are the databases that the product runs on, alone; a Cluster has the latter.
var Kinds = []string{"sqlite", "postgres"}

// Database is a database of the product's, and what we can do to it.
type Database interface {
	// address is what the product is told.
	address() string
	// Books reads it without passing through what is cut.
	Books() *sql.DB
	// cut keeps the product from writing for a while.
	cut(ctx context.Context, length time.Duration) error
	close()
}

func openDatabase(ctx context.Context, o Options, kind, dir string) (Database, error) {
	switch kind {
	case "sqlite":
		return openFile(ctx, dir)
	case "postgres", Cluster:
		return openServer(ctx, o.Postgres)
	case Mortal:
		return openMortal(ctx)
	}
	return nil, fmt.Errorf("there is no database %q: use sqlite, postgres, mortal or cluster", kind)
}

func migrate(ctx context.Context, address string) error {
	db, err := store.Open(address)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return db.Migrate(ctx)
}

// file is an SQLite database. It is cut by a writer that does not come to an end; the
// product gives up long before.
type file struct {
	path string
	db   *sql.DB
}

func openFile(ctx context.Context, dir string) (Database, error) {
	f := &file{path: filepath.Join(dir, "customerzero.db")}
	if err := migrate(ctx, f.address()); err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", "file:"+f.path+"?_pragma=busy_timeout(10000)")
	f.db = db
	return f, err
}

func (f *file) address() string { return "sqlite:" + f.path + "?busy_timeout=500ms" }
func (f *file) Books() *sql.DB  { return f.db }
func (f *file) close()          { _ = f.db.Close() }

func (f *file) cut(ctx context.Context, length time.Duration) error {
	holder, err := f.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = holder.Close() }()
	if _, err := holder.ExecContext(ctx, "BEGIN EXCLUSIVE"); err != nil {
		return err
	}
	cluster.Wait(ctx, length)
	_, err = holder.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
	return err
}

// server is a Postgres database behind a proxy, which is where it is cut.
type server struct {
	name  string
	admin *sql.DB
	db    *sql.DB
	proxy *network.Proxy
	url   string // through the proxy
}

func openServer(ctx context.Context, address string) (*server, error) {
	parsed, err := url.Parse(address)
	if err != nil || parsed.Host == "" {
		return nil, errors.New("TEST_DATABASE_URL names no Postgres: use scripts/with-postgres")
	}
	s := &server{name: "crash_" + xid.New().String()}
	if s.admin, err = sql.Open("pgx", parsed.String()); err != nil {
		return nil, err
	}
	if _, err = s.admin.ExecContext(ctx, "CREATE DATABASE "+s.name); err != nil {
		return nil, err
	}
	parsed.Path = "/" + s.name
	db, err := pgretry.Open(parsed.String()) // it may be the server that dies
	if err != nil {
		return nil, err
	}
	s.db = sql.OpenDB(db)
	if err := migrate(ctx, parsed.String()); err != nil {
		return nil, err
	}
	if s.proxy, err = network.Open(parsed.Host); err != nil {
		return nil, err
	}
	parsed.Host = s.proxy.Address()
	s.url = parsed.String()
	return s, nil
}

func (s *server) address() string { return s.url }
func (s *server) Books() *sql.DB  { return s.db }

func (s *server) cut(ctx context.Context, length time.Duration) error {
	s.proxy.Cut()
	cluster.Wait(ctx, length)
	return s.proxy.Mend()
}

func (s *server) close() {
	s.proxy.Close()
	_ = s.db.Close()
	_, _ = s.admin.Exec(fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", s.name))
	_ = s.admin.Close()
}

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
