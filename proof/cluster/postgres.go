package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"customerzero/internal/platform/ports"
)

const postgresPassword = "postgres-password"

// postgresUser is the database superuser, and the system user that runs the server if this process is root.
const postgresUser = "postgres"

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
	awaitEnd(ctx, c.postgresFile("data/postmaster.pid"))
	_, port, _ := strings.Cut(address, ":")
	c.Postgres, err = c.begin(ctx, Program{
		Name: "postgres", Path: filepath.Join(bin, "postgres"), Dir: c.postgresFile(""), As: owner.credential(),
		Ask: syscall.SIGINT, // ends open sessions
		Args: []string{
			"-D", c.postgresFile("data"), "-p", port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
			"-c", "max_connections=200",
		},
		Env: []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"},
	}, func(ctx context.Context) error {
		return c.query(ctx, func(*pgx.Conn) error { return nil })
	})
	return err
}

// awaitEnd waits until the server of a previously killed cluster has stopped.
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
		return errors.New("no database can be created on this Postgres server; correct its URL")
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
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.server)
	if err != nil {
		return errors.New("cannot connect to Postgres") // the driver's error contains the connection settings
	}
	return errors.Join(ask(conn), conn.Close(ctx))
}

// StartPostgres starts only a new Postgres server, in a directory, for tests that kill it.
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

// PostgresURL is the URL of the server, not of the product's database.
func (c *Cluster) PostgresURL() string { return c.server }

// makeServer creates the files of a new server atomically.
func (c *Cluster) makeServer(ctx context.Context, bin string, owner account) error {
	if err := os.MkdirAll(c.postgresFile(""), 0o711); err != nil { //nolint:gosec // the server may run as another user
		return err
	}
	dir, raw := c.postgresFile("data"), c.postgresFile("new")
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	if err := errors.Join(os.RemoveAll(raw), os.Mkdir(raw, 0o700)); err != nil {
		return err
	}
	password, err := os.ReadFile(c.file(postgresPassword))
	if err != nil {
		return err
	}
	word := c.postgresFile("word") // for initdb
	defer func() { _ = os.Remove(word) }()
	if err := os.WriteFile(word, password, 0o600); err != nil { //nolint:gosec // a constant name
		return err
	}
	if err := errors.Join(os.Chown(raw, owner.uid, owner.gid), os.Chown(word, owner.uid, owner.gid)); err != nil {
		return err
	}
	initdb := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "-D", raw, "-U", postgresUser,
		"-A", "scram-sha-256", "--pwfile", word, "-E", "UTF8", "--no-locale")
	initdb.Dir, initdb.Env = "/", []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	initdb.SysProcAttr = &syscall.SysProcAttr{Credential: owner.credential()}
	if output, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, output)
	}
	return os.Rename(raw, dir)
}

func postgresBin() (string, error) {
	found, _ := filepath.Glob("/usr/lib/postgresql/*/bin/initdb")
	if len(found) > 0 {
		return filepath.Dir(slices.Max(found)), nil
	}
	initdb, err := exec.LookPath("initdb")
	if err != nil {
		return "", errors.New("PostgreSQL's server is not installed; run make tools, or name a server")
	}
	return filepath.Dir(initdb), nil
}

// account is the system user that runs the server and owns its files.
type account struct{ uid, gid int }

// serverOwner is the current user, or postgres for root, because the server refuses to run as root.
func serverOwner() (account, error) {
	if os.Getuid() != 0 {
		return account{os.Getuid(), os.Getgid()}, nil
	}
	found, err := user.Lookup(postgresUser)
	if err != nil {
		return account{}, errors.New("a Postgres server does not run as root, and there is no user postgres; run make tools")
	}
	uid, err := strconv.Atoi(found.Uid)
	if err != nil {
		return account{}, err
	}
	gid, err := strconv.Atoi(found.Gid)
	return account{uid, gid}, err
}

// credential is nil for the current user.
func (a account) credential() *syscall.Credential {
	if a.uid == os.Getuid() {
		return nil
	}
	return &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)} //nolint:gosec // as the system gave them
}

// postgresFile is a file of the server. It is beside the product's directory, which other users cannot enter.
func (c *Cluster) postgresFile(name string) string {
	return filepath.Join(c.options.Dir+".postgres", name)
}
