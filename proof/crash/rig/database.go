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
	_ "modernc.org/sqlite" // the driver of Books

	"customerzero/internal/store"
	"customerzero/internal/store/pgretry"
	"customerzero/proof/cluster"
	"customerzero/proof/crash/network"
)

// Kinds are the databases that the product runs on, alone; a Cluster has the latter.
var Kinds = []string{"sqlite", "postgres"}

// Mortal is the kind of database that is a Postgres server of the crash test's own: it is cut by SIGKILL, and
// started again.
const Mortal = "mortal"

// Database is a database of the product's, and what we can do to it.
type Database struct {
	address string // for the product
	books   *sql.DB
	closers []func()

	// Cut keeps the product from writing for a while. Of a Mortal one it returns when the server is back.
	Cut func(ctx context.Context, length time.Duration) error
	// Network is the way from the product to a Postgres server; nil for SQLite.
	Network *network.Proxy
}

// Books reads the database without passing through what is cut.
func (d *Database) Books() *sql.DB { return d.books }

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

// openFile makes an SQLite database. It is cut by a writer that does not come to an end; the product gives up
// long before.
func (d *Database) openFile(ctx context.Context, path string) (err error) {
	d.address = "sqlite:" + path + "?busy_timeout=500ms"
	if err := migrate(ctx, d.address); err != nil {
		return err
	}
	if d.books, err = sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(10000)"); err != nil {
		return err
	}
	d.closers = append(d.closers, func() { _ = d.books.Close() })
	d.Cut = func(ctx context.Context, length time.Duration) error {
		holder, err := d.books.Conn(ctx)
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

// LendDatabase makes a database on a Postgres server, until drop.
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

// openServer makes a database on a Postgres server, behind a proxy, which is where it is cut.
func (d *Database) openServer(ctx context.Context, address string) error {
	parsed, drop, err := LendDatabase(ctx, address)
	if err != nil {
		return err
	}
	d.closers = append(d.closers, drop)
	patient, err := pgretry.Open(parsed.String()) // it may be the server that dies
	if err != nil {
		return err
	}
	d.books = sql.OpenDB(patient)
	d.closers = append(d.closers, func() { _ = d.books.Close() })
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
		return d.Network.Mend()
	}
	return nil
}

// backWithin is how long a killed server may take to come back: its children have to end first, and its log has
// to be replayed.
const backWithin = 5 * time.Minute

func (d *Database) openMortal(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "customerzero-postgres.") // not below a directory of ours alone: root runs it as another user
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
			return errors.New("the server was dead already")
		}
		cluster.Wait(ctx, length)
		if !cluster.Until(ctx, backWithin, func() bool { return owner.Ready(ctx, owner.Postgres) }) {
			return errors.New("the server does not come back")
		}
		return nil
	}
	return nil
}
