package main

import (
	"bufio"
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/rs/xid"
	_ "modernc.org/sqlite"

	"customerzero/proof/bench/baseline"
	"customerzero/proof/crash/rig"
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

// holdAll holds contests of both, one after the other.
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
	landing, _, err := rig.Get(ctx, http.DefaultClient, w.up.site+"/")
	if err != nil {
		return err
	}
	w.page = filepath.Join(w.up.data, "landing.html")
	return os.WriteFile(w.page, landing, 0o600)
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

const (
	seededMembers     = 200
	seededExperiments = 20
	seededPosts       = 500
	then              = "'2026-01-15 12:00:00+00:00'"
)

// populate writes members who are logged in, experiments that they may vote on, and a month of posts
// that went out, straight into a product's database: made through the API they would take hours.
func populate(ctx context.Context, database string) error {
	pool, _, err := open(database)
	if err != nil {
		return err
	}
	defer func() { _ = pool.Close() }()
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	for _, statement := range seedStatements() {
		if _, err := tx.ExecContext(ctx, statement); err != nil {
			return fmt.Errorf("%.80s…: %w", statement, err)
		}
	}
	return tx.Commit()
}

// open opens a product's database, beside the product.
func open(database string) (pool *sql.DB, dialect string, err error) {
	if path, isFile := strings.CutPrefix(database, "sqlite:"); isFile {
		pool, err = sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(60000)&_pragma=synchronous(OFF)&_txlock=immediate")
		return pool, "sqlite", err
	}
	pool, err = sql.Open("pgx", database)
	return pool, "postgres", err
}

func seedStatements() []string {
	return []string{
		insert("members (id, username, username_key, status, payment_cents, joined_at)", seededMembers, func(i int) string {
			return fmt.Sprintf("'%s', 'voter_%d', 'voter_%d', 'active', 900, %s", voter(i), i, i, then)
		}),
		insert("accounts (id, x_handle, email, member_id, notices, created_at)", seededMembers, func(i int) string {
			return fmt.Sprintf("'account-%d', '', 'voter-%d@example.com', '%s', false, %s", i, i, voter(i), then)
		}),
		insert("sessions (id, account_id, token_hash, provider, scope, device, created_at, seen_at, expires_at)", seededMembers, func(i int) string {
			digest := sha256.Sum256([]byte(sessionToken(i)))
			return fmt.Sprintf("'session-%d', 'account-%d', '%s', 'email', '', 'a bench', %s, '2099-01-01 00:00:00+00:00', '2099-02-01 00:00:00+00:00'",
				i, i, hex.EncodeToString(digest[:]), then)
		}),
		insert("experiments (id, number, slug, title, problem, hypothesis, impact, difficulty, status, reason, progress, methodology, tech_stack, "+
			"success_metrics, origin, submitted_at, metric, verdict, workflow_id, run_id, version, updated_at)", seededExperiments, func(i int) string {
			return fmt.Sprintf("'%s', %d, '%s', 'Experiment %d', 'A problem.', 'A hypothesis.', 'An impact.', 'easy', 'planning', '', 0, '[]', '[]', "+
				"'[]', 'founder', %s, '', '', '', '', 1, %s", subjectOfVotes(i), 100+i, subjectOfVotes(i), i, then, then)
		}),
		"INSERT INTO quota_months (month, opened_at) VALUES ('2026-01', " + then + ")",
		insert("posts (id, member_id, text, made_with_ai, status, code, reason, scheduled_at, attempt, unclear_attempts, reservations, first_armed_at, armed_at, "+
			"published_at, tweet_id, url, likes, reposts, replies, quotes, run_id, version, created_at, updated_at)", seededPosts, func(i int) string {
			at := fmt.Sprintf("'2026-01-%02d %02d:%02d:00+00:00'", 1+i%28, i%24, i%60)
			return fmt.Sprintf("'post-%04d', '%s', 'The %d. post of a month. It says what most of them say, and is as long as most of them are.', false, "+
				"'published', '', '', %s, 1, 0, 1, %s, %s, %s, '%d', 'https://x.com/customerzerobot/status/%d', %d, 2, 1, 0, 'run-%d', 1, %s, %s",
				i, voter(i%seededMembers), i, at, at, at, at, 7000+i, 7000+i, i%50, i, at, at)
		}),
		insert("quota_slots (month, slot_no, state, post_id, member_id)", seededPosts, func(i int) string {
			return fmt.Sprintf("'2026-01', %d, 'spent', 'post-%04d', '%s'", i+1, i, voter(i%seededMembers))
		}),
	}
}

func insert(into string, rows int, values func(i int) string) string {
	all := make([]string, rows)
	for i := range all {
		all[i] = "(" + values(i) + ")"
	}
	return "INSERT INTO " + into + " VALUES " + strings.Join(all, ", ")
}

func voter(i int) string { return fmt.Sprintf("voter-%d", i) }

func subjectOfVotes(i int) string { return fmt.Sprintf("bench-%d", i) }

// sessionToken is what a voter's browser holds: of the form of the product's own.
func sessionToken(i int) string {
	digest := sha256.Sum256(fmt.Appendf(nil, "bench %d", i))
	return base64.RawURLEncoding.EncodeToString(digest[:])
}
