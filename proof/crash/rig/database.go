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

	_ "github.com/jackc/pgx/v5/stdlib" // the driver that creates databases
	"github.com/rs/xid"
	_ "modernc.org/sqlite" // the driver of SQL

	"customerzero/internal/store"
	"customerzero/internal/store/pgretry"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/network"
)

// Kinds are the databases that the product runs on. A Cluster uses Postgres.
var Kinds = []string{"sqlite", "postgres"}

// Mortal is a Postgres server of the crash test that is cut by SIGKILL and restarted.
const Mortal = "mortal"

// Database is the product's database.
type Database struct {
	address string // for the product
	direct  *sql.DB
	closers []func()

	// Cut prevents the product from writing for a while. For Mortal it returns when the server is back.
	Cut func(ctx context.Context, length time.Duration) error
	// Network is the proxy between the product and a Postgres server; nil for SQLite.
	Network *network.Proxy
}

// SQL is a connection to the database that Cut does not affect.
func (d *Database) SQL() *sql.DB { return d.direct }

func (d *Database) close() {
	for i := len(d.closers) - 1; i >= 0; i-- {
		d.closers[i]()
	}
}

func openDatabase(ctx context.Context, o Options, kind, dir string) (d *Database, err error) {
	d = &Database{}
	switch kind {
	case "sqlite":
		err = d.openFile(ctx, filepath.Join(dir, "customerzero.db"))
	case "postgres", Cluster:
		err = d.openServer(ctx, o.Postgres)
	case Mortal:
		err = d.openMortal(ctx)
	default:
		err = fmt.Errorf("there is no database %q: use sqlite, postgres, mortal or cluster", kind)
	}
	if err != nil {
		d.close()
	}
	return d, err
}

func migrate(ctx context.Context, address string) error {
	db, err := store.Open(address)
	if err != nil {
		return err
	}
	defer func() { _ = db.Close() }()
	return db.Migrate(ctx)
}

// openFile creates an SQLite database. Cut holds an exclusive transaction for longer than the product's busy
// timeout.
func (d *Database) openFile(ctx context.Context, path string) (err error) {
	d.address = "sqlite:" + path + "?busy_timeout=500ms"
	if err := migrate(ctx, d.address); err != nil {
		return err
	}
	if d.direct, err = sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)"); err != nil {
		return err
	}
	d.closers = append(d.closers, func() { _ = d.direct.Close() })
	d.Cut = func(ctx context.Context, length time.Duration) error {
		holder, err := d.direct.Conn(ctx)
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
	return nil
}

// LendDatabase creates a database on a Postgres server. drop removes it.
func LendDatabase(ctx context.Context, server string) (database *url.URL, drop func(), err error) {
	database, err = url.Parse(server)
	if err != nil || database.Host == "" {
		return nil, nil, errors.New("TEST_DATABASE_URL names no Postgres: use scripts/with-postgres") // it may hold a password
	}
	admin, err := sql.Open("pgx", server)
	if err != nil {
		return nil, nil, err
	}
	name := "crash_" + xid.New().String()
	if _, err = admin.ExecContext(ctx, "CREATE DATABASE "+name); err != nil {
		return nil, nil, errors.Join(err, admin.Close())
	}
	database.Path = "/" + name
	return database, func() {
		_, _ = admin.Exec(fmt.Sprintf("DROP DATABASE IF EXISTS %s WITH (FORCE)", name))
		_ = admin.Close()
	}, nil
}

// openServer creates a database on a Postgres server behind a proxy, at which it is cut.
func (d *Database) openServer(ctx context.Context, address string) error {
	parsed, drop, err := LendDatabase(ctx, address)
	if err != nil {
		return err
	}
	d.closers = append(d.closers, drop)
	patient, err := pgretry.Open(parsed.String()) // the server itself may be killed
	if err != nil {
		return err
	}
	d.direct = sql.OpenDB(patient)
	d.closers = append(d.closers, func() { _ = d.direct.Close() })
	if err := migrate(ctx, parsed.String()); err != nil {
		return err
	}
	if d.Network, err = network.Open(parsed.Host); err != nil {
		return err
	}
	d.closers = append(d.closers, d.Network.Close)
	parsed.Host = d.Network.Address()
	d.address = parsed.String()
	d.Cut = func(ctx context.Context, length time.Duration) error {
		d.Network.Cut()
		cluster.Wait(ctx, length)
		return d.Network.Restore()
	}
	return nil
}

// backWithin is how long a killed server may take to restart: its children have to exit and its WAL has to be
// replayed.
const backWithin = 5 * time.Minute

func (d *Database) openMortal(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "customerzero-postgres.") // not below a private directory: root runs it as another user
	if err != nil {
		return err
	}
	d.closers = append(d.closers, func() { _ = os.RemoveAll(dir) })
	owner, err := cluster.StartPostgres(ctx, dir)
	if err != nil {
		return err
	}
	d.closers = append(d.closers, owner.Stop)
	if err := d.openServer(ctx, owner.PostgresURL()); err != nil {
		return err
	}
	d.Cut = func(ctx context.Context, length time.Duration) error {
		if !owner.Postgres.Kill(length) {
			return errors.New("the server was not running")
		}
		cluster.Wait(ctx, length)
		if !cluster.Until(ctx, backWithin, func() bool { return owner.Ready(ctx, owner.Postgres) }) {
			return errors.New("the server did not restart")
		}
		return nil
	}
	return nil
}
