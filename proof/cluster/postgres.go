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
	c.Postgres, err = c.begin(ctx, Program{
		Name: "postgres", Path: filepath.Join(bin, "postgres"), As: owner.credential(), Ask: syscall.SIGINT, // callers are sent away
		Args: []string{
			"-D", c.file("postgres"), "-p", port, "-c", "listen_addresses=127.0.0.1", "-c", "unix_socket_directories=",
			"-c", "max_connections=200",
		},
		Env: []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"},
	}, func(ctx context.Context) error {
		return c.query(ctx, func(*pgx.Conn) error { return nil })
	})
	return err
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
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
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

// makeServer makes the files of a new server: entirely, or not at all.
func (c *Cluster) makeServer(ctx context.Context, bin string, owner account) error {
	if owner.credential() != nil {
		if err := os.Chmod(c.options.Dir, 0o711); err != nil { //nolint:gosec // Postgres passes to its own; files are ours alone
			return err
		}
	}
	dir, raw := c.file("postgres"), c.file("postgres.new")
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
	word := c.file("postgres.word") // for who makes the server
	defer func() { _ = os.Remove(word) }()
	if err := os.WriteFile(word, password, 0o600); err != nil { //nolint:gosec // a name of ours
		return err
	}
	if err := errors.Join(os.Chown(raw, owner.uid, owner.gid), os.Chown(word, owner.uid, owner.gid)); err != nil {
		return err
	}
	initdb := exec.CommandContext(ctx, filepath.Join(bin, "initdb"), "-D", raw, "-U", postgresUser,
		"-A", "scram-sha-256", "--pwfile", word, "-E", "UTF8", "--no-locale")
	initdb.Dir, initdb.Env = "/", []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C"}
	initdb.SysProcAttr = &syscall.SysProcAttr{Credential: owner.credential()}
	if said, err := initdb.CombinedOutput(); err != nil {
		return fmt.Errorf("initdb: %w\n%s", err, said)
	}
	return os.Rename(raw, dir)
}

// postgresBin is where the server's programs of the newest version are.
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

// account is whom the server runs as, and whose its files are.
type account struct{ uid, gid int }

// serverOwner is who we are or, for root, whom the server does not let, the user postgres.
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

// credential is nil for ourselves.
func (a account) credential() *syscall.Credential {
	if a.uid == os.Getuid() {
		return nil
	}
	return &syscall.Credential{Uid: uint32(a.uid), Gid: uint32(a.gid)} //nolint:gosec // as the system gave them
}
