package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib"
	_ "modernc.org/sqlite"

	"customerzero/proof/bench/baseline"
	"customerzero/proof/bench/seed"
	"customerzero/proof/crash/rig"
)

// world is a product with seeded members and posts, and a baseline on the same database.
type world struct {
	kind     string // of the database: "SQLite" or "Postgres"
	database string
	up       *upProduct
	baseline *baselineServer
	key      string // admin key
	page     string // file with the landing page
}

func (w *world) holdAll(ctx context.Context, subject string, contests ...contest) (all []figure, err error) {
	for _, c := range contests {
		c.subject, c.baseline.address, c.ours.address = subject+", "+w.kind, w.baseline.address, hostOf(w.up.site)
		found, err := c.hold(ctx)
		all = append(all, found...)
		if err != nil {
			return all, err
		}
	}
	return all, nil
}

func kinds() []string {
	if os.Getenv("TEST_DATABASE_URL") == "" {
		return []string{"SQLite"}
	}
	return []string{"SQLite", "Postgres"}
}

// inWorlds runs a measure on every available database.
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
		defer func() { _ = baseline.stop() }() // the measure is done
		return do(w)
	})
}

// onDatabase runs do with a fresh product on a new database: its SQLite file, or a database on the Postgres server.
func (b *bench) onDatabase(ctx context.Context, kind string, settings []string, do func(up *upProduct, database string) error) error {
	if kind == "SQLite" {
		return b.onFresh(ctx, func(up *upProduct) error { return do(up, "sqlite:"+filepath.Join(up.data, "customerzero.db")) }, settings...)
	}
	database, drop, err := rig.LendDatabase(ctx, os.Getenv("TEST_DATABASE_URL"))
	if err != nil {
		return err
	}
	defer drop()
	return b.onFresh(ctx, func(up *upProduct) error { return do(up, database.String()) }, append(settings, "DATABASE_URL="+database.String())...)
}

func (w *world) furnish(ctx context.Context) error {
	key, err := w.up.adminKey()
	if err != nil {
		return err
	}
	w.key = key
	landing, _, err := rig.Get(ctx, http.DefaultClient, w.up.site+"/")
	if err != nil {
		return err
	}
	w.page = filepath.Join(w.up.data, "landing.html")
	return os.WriteFile(w.page, landing, 0o600)
}

// baselineServer is the baseline of the API: this program as a child process.
type baselineServer struct {
	address string
	running *exec.Cmd
	stdin   io.Closer // closing it stops the child
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

const (
	seededMembers     = 200
	seededExperiments = 20
	seededPosts       = 620 // eight of ten are published
)

// populate seeds members, experiments and posts, and gives each member a session with a known token. Through the
// API this would take hours.
func populate(ctx context.Context, database string) error {
	if err := seedWorld(ctx, database, seed.World{Posts: seededPosts, Members: seededMembers, Now: thisMonth()}); err != nil {
		return err
	}
	pool, _, err := open(database)
	if err != nil {
		return err
	}
	defer func() { _ = pool.Close() }()
	for i := range seededMembers {
		digest := sha256.Sum256([]byte(sessionToken(i)))
		if _, err := pool.ExecContext(ctx, fmt.Sprintf("UPDATE sessions SET token_hash = '%x' WHERE id = 's%08d'", digest, i)); err != nil {
			return err
		}
	}
	return nil
}

// open opens a product's database directly.
func open(database string) (pool *sql.DB, dialect string, err error) {
	if path, isFile := strings.CutPrefix(database, "sqlite:"); isFile {
		pool, err = sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(60000)&_pragma=synchronous(OFF)&_txlock=immediate")
		return pool, "sqlite", err
	}
	pool, err = sql.Open("pgx", database)
	return pool, "postgres", err
}

func voter(i int) string { return fmt.Sprintf("m%08d", i) }

func subjectOfVotes(i int) string { return fmt.Sprintf("lab%08d", i) }

// sessionToken is the session token of a voter, in the product's format.
func sessionToken(i int) string {
	digest := sha256.Sum256(fmt.Appendf(nil, "bench %d", i))
	return base64.RawURLEncoding.EncodeToString(digest[:])
}
