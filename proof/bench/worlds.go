package main

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/rs/xid"

	"customerzero/proof/bench/baseline"
)

// world is a product with people and posts, and a baseline on the same database.
type world struct {
	kind     string // of the database, as tables name it
	database string
	up       *upProduct
	baseline *baselineServer
	key      string // the founders'
	page     string // the landing page, in a file
}

// contest is one question to both.
func (w *world) contest(b *bench, subject, what, beside string, baseline, ours load) contest {
	baseline.address, ours.address = w.baseline.address, hostOf(w.up.site)
	return contest{
		subject: subject + ", " + w.kind, what: what, beside: beside, turn: b.turn,
		baseline: side{load: baseline}, ours: side{load: ours},
	}
}

// kinds are the databases that there are.
func kinds() []string {
	if os.Getenv("TEST_DATABASE_URL") == "" {
		return []string{"SQLite"}
	}
	return []string{"SQLite", "Postgres"}
}

// inWorlds measures something on every kind of database that there is.
func (b *bench) inWorlds(ctx context.Context, measure func(ctx context.Context, w *world) ([]figure, error)) (all []figure, err error) {
	for _, kind := range kinds() {
		err := b.inWorld(ctx, kind, func(w *world) error {
			found, err := measure(ctx, w)
			all = append(all, found...)
			return err
		})
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

func (b *bench) inWorld(ctx context.Context, kind string, do func(w *world) error) error {
	return b.onDatabase(ctx, kind, nil, func(up *upProduct, database string) error {
		w := &world{kind: kind, up: up, database: database}
		if err := w.furnish(ctx); err != nil {
			return err
		}
		baseline, err := startBaseline(ctx, w.database, up.temporal(), w.page)
		if err != nil {
			return err
		}
		w.baseline = baseline
		defer func() { _ = baseline.stop() }() // its figures are there
		return do(w)
	})
}

// onDatabase does something with a fresh product on a database of its own: the product's own file, or
// one of the Postgres server's.
func (b *bench) onDatabase(ctx context.Context, kind string, settings []string, do func(up *upProduct, database string) error) error {
	if kind == "SQLite" {
		return b.onFresh(ctx, func(up *upProduct) error { return do(up, "sqlite:"+filepath.Join(up.data, "customerzero.db")) }, settings...)
	}
	return onPostgres(ctx, os.Getenv("TEST_DATABASE_URL"), func(database string) error {
		return b.onFresh(ctx, func(up *upProduct) error { return do(up, database) }, append(settings, "DATABASE_URL="+database)...)
	})
}

func (w *world) furnish(ctx context.Context) error {
	key, err := w.up.adminKey()
	if err != nil {
		return err
	}
	w.key = key
	landing, err := caller{site: w.up.site}.get(ctx, "/")
	if err != nil {
		return err
	}
	w.page = filepath.Join(w.up.data, "landing.html")
	return os.WriteFile(w.page, landing.body, 0o600)
}

// onPostgres lends a database of a server.
func onPostgres(ctx context.Context, server string, do func(database string) error) (err error) {
	address, err := url.Parse(server)
	if err != nil {
		return errors.New("TEST_DATABASE_URL cannot be read") // it may hold a password
	}
	pool, err := sql.Open("pgx", server)
	if err != nil {
		return err
	}
	defer func() { _ = pool.Close() }()
	name := "bench_" + xid.New().String()
	if _, err := pool.ExecContext(ctx, "CREATE DATABASE "+name); err != nil {
		return err
	}
	defer func() {
		_, errDrop := pool.ExecContext(context.WithoutCancel(ctx), "DROP DATABASE "+name+" WITH (FORCE)")
		err = errors.Join(err, errDrop)
	}()
	address.Path = "/" + name
	return do(address.String())
}

// baselineServer is what the product's API is measured beside: this program, as a child.
type baselineServer struct {
	address string
	running *exec.Cmd
	stdin   io.Closer // the child ends with it
}

func startBaseline(ctx context.Context, database, temporal, page string) (*baselineServer, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	f := &baselineServer{running: exec.CommandContext(ctx, self, "baseline")}
	f.running.Env = []string{baseline.DatabaseSetting + "=" + database, baseline.TemporalSetting + "=" + temporal, baseline.PageSetting + "=" + page}
	f.running.Stderr = os.Stderr
	stdin, errIn := f.running.StdinPipe()
	stdout, errOut := f.running.StdoutPipe()
	if err := errors.Join(errIn, errOut); err != nil {
		return nil, err
	}
	if err := f.running.Start(); err != nil {
		return nil, err
	}
	f.stdin = stdin
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the baseline does not answer: %w", err), f.stop())
	}
	f.address = strings.TrimSpace(line)
	return f, nil
}

func (f *baselineServer) stop() error {
	_ = f.stdin.Close()
	return f.running.Wait()
}
