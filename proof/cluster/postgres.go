package cluster

import (
	"context"
	"errors"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"customerzero/internal/platform/ports"
)

const postgresPassword = "postgres-password"

// postgresUser is whom Postgres may not run as, and whom it runs as then.
const postgresUser = "postgres"

// startPostgres starts a server of our own, unless one was given.
func (c *Cluster) startPostgres(ctx context.Context) error {
	if c.server = c.options.Postgres; c.server != "" {
		return nil
	}
	bin, err := postgresBin()
	if err != nil {
		return err
	}
	owner, err := serverOwner()
	if err != nil {
		return err
	}
	if err := c.makeServer(ctx, bin, owner); err != nil {
		return err
	}
	address, err := ports.Address()
	if err != nil {
		return err
	}
	password, err := c.secret(postgresPassword)
	if err != nil {
		return err
	}
	server := url.URL{Scheme: "postgres", User: url.UserPassword(postgresUser, password), Host: address, Path: "/postgres", RawQuery: "sslmode=disable"}
	c.server = server.String()
	awaitEnd(ctx, c.file("postgres/postmaster.pid"))
	_, port, _ := strings.Cut(address, ":")
	c.Postgres, err = c.keep(ctx, Program{
		Name: "postgres", Path: filepath.Join(bin, "postgres"), As: owner.credential(), Ask: syscall.SIGINT, // callers are sent away
		Args: []string{
			"-D", c.file("postgres"), "-p", port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
			"-c", "max_connections=200",
		},
		Env: []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"},
	}, func(ctx context.Context) error {
		return c.query(ctx, func(*pgx.Conn) error { return nil })
	})
	if err != nil {
		return err
	}
	return c.await(ctx, c.Postgres)
}

// awaitEnd waits for the server of a cluster that was killed, which ends soon.
func awaitEnd(ctx context.Context, pidFile string) {
	Until(ctx, 20*time.Second, func() bool {
		text, err := os.ReadFile(pidFile)
		if err != nil {
			return true
		}
		first, _, _ := strings.Cut(string(text), "\n")
		pid, err := strconv.Atoi(first)
		return err != nil || errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
	})
}

// makeDatabase makes the product's, unless it was given.
func (c *Cluster) makeDatabase(ctx context.Context) error {
	if c.database = c.options.Database; c.database != "" {
		return nil
	}
	name := "customerzero" + c.suffix()
	err := c.query(ctx, func(conn *pgx.Conn) error {
		_, err := conn.Exec(ctx, "CREATE DATABASE "+name)
		if made, ok := errors.AsType[*pgconn.PgError](err); ok && made.Code == "42P04" {
			return nil
		}
		return err
	})
	if err != nil {
		return errors.New("no database can be made on the Postgres that was named; correct its URL")
	}
	server, err := url.Parse(c.server)
	if err != nil {
		return err
	}
	server.Path = "/" + name
	c.database = server.String()
	return nil
}

func (c *Cluster) query(ctx context.Context, ask func(*pgx.Conn) error) error {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.server)
	if err != nil {
		return errors.New("no Postgres answers") // the driver's words show how we connect
	}
	return errors.Join(ask(conn), conn.Close(ctx))
}

// StartPostgres starts nothing of a cluster but a Postgres server of its own, in a directory. It is
// there for whoever wants one that may be killed.
func StartPostgres(ctx context.Context, dir string) (*Cluster, error) {
	c := &Cluster{options: Options{Dir: dir, Out: io.Discard}, ready: map[*Process]func(context.Context) error{}}
	err := c.makeSecrets()
	if err == nil {
		err = c.startPostgres(ctx)
	}
	if err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

// PostgresURL is that of the server, and not of the product's database on it.
func (c *Cluster) PostgresURL() string { return c.server }
