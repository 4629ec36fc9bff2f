package node

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/blang/semver/v4"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"go.temporal.io/server/common/config"
	serverlog "go.temporal.io/server/common/log"
	"go.temporal.io/server/common/log/tag"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql"
	v12 "go.temporal.io/server/schema/postgresql/v12"
	schematool "go.temporal.io/server/tools/common/schema"
	"go.uber.org/zap"
)

// visibilityName is of the store of lists, which has a database of its own.
const visibilityName = "visibility"

// postgresShards is how many parts of the histories are written side by side. It cannot be
// changed later.
const postgresShards = 4

// Connections at most, of each of the server's four services.
const (
	mainConnections       = 10
	visibilityConnections = 5
)

// databaseNames need no quotes and no escaping anywhere.
var databaseNames = regexp.MustCompile(`^[a-z][a-z0-9_]{0,40}$`)

var errPostgresURL = errors.New("TEMPORALD_POSTGRES_URL is not a URL like postgres://user:password@host:5432/postgres")

// postgres is two databases of a Postgres server.
type postgres struct {
	server url.URL // its password is in no error
	main   schema
	lists  schema
	lease  *lease
}

func newPostgres(o Options) (*postgres, error) {
	server, err := url.Parse(o.Postgres)
	if err != nil || server.Hostname() == "" || server.User.Username() == "" || server.Scheme != "postgres" && server.Scheme != "postgresql" {
		return nil, errPostgresURL // url's own error would show the password
	}
	if server.Port() == "" {
		server.Host += ":5432"
	}
	if _, err := pgx.ParseConfig(server.String()); err != nil {
		return nil, errPostgresURL
	}
	if !databaseNames.MatchString(o.Databases) {
		return nil, fmt.Errorf("databases %q: the name is not made of at most 41 small letters, digits and underscores", o.Databases)
	}
	return &postgres{
		server: *server,
		main:   schema{database: o.Databases, folder: "postgresql/v12/temporal", version: v12.Version},
		lists:  schema{database: o.Databases + "_visibility", folder: "postgresql/v12/visibility", version: v12.VisibilityVersion},
	}, nil
}

// take makes the databases, too: the lock is one of the main database.
func (p *postgres) take(ctx context.Context, o Options) error {
	if err := p.ensureDatabases(ctx); err != nil {
		return err
	}
	var err error
	p.lease, err = takeLease(ctx, p, o)
	return err
}

func (p *postgres) prepare(ctx context.Context, o Options) error {
	for _, s := range []schema{p.main, p.lists} {
		if err := p.with(ctx, s.database, s.ensure); err != nil {
			return p.explain(err, s.database)
		}
	}
	return ensureNamespace(o, p.config(p.main, mainConnections), p.main.database)
}

func (p *postgres) release() {
	if p.lease != nil {
		p.lease.end()
	}
}

func (p *postgres) persistence() config.Persistence {
	return config.Persistence{
		DefaultStore: storeName, VisibilityStore: visibilityName, NumHistoryShards: postgresShards,
		DataStores: map[string]config.DataStore{
			storeName:      {SQL: p.config(p.main, mainConnections)},
			visibilityName: {SQL: p.config(p.lists, visibilityConnections)},
		},
	}
}

// config is how the server connects. It puts what it is given into a URL, and escapes only
// the password.
func (p *postgres) config(s schema, connections int) *config.SQL {
	password, _ := p.server.User.Password()
	attributes := map[string]string{"application_name": "temporald"}
	for name, values := range p.server.Query() {
		attributes[name] = values[0]
	}
	if attributes["sslmode"] == "" {
		attributes["sslmode"] = "prefer" // as everybody else understands such a URL; the server would not encrypt
	}
	return &config.SQL{
		PluginName: postgresql.PluginNamePGX, DatabaseName: s.database, ConnectAddr: p.server.Host,
		User: url.PathEscape(p.server.User.Username()), Password: password, ConnectAttributes: attributes,
		MaxConns: connections, MaxIdleConns: connections,
	}
}

// connect opens a connection of our own to a database; an empty name is that of the URL.
func (p *postgres) connect(ctx context.Context, database string) (*pgx.Conn, error) {
	address := p.server
	if database != "" {
		address.Path = "/" + database
	}
	return pgx.Connect(ctx, address.String())
}

// with does some work on a connection of its own.
func (p *postgres) with(ctx context.Context, database string, work func(context.Context, *pgx.Conn) error) error {
	conn, err := p.connect(ctx, database)
	if err != nil {
		return err
	}
	return errors.Join(work(ctx, conn), conn.Close(context.WithoutCancel(ctx)))
}

// ensureDatabases makes what is missing. Somebody else may do so at the same time.
func (p *postgres) ensureDatabases(ctx context.Context) error {
	return p.explain(p.with(ctx, "", func(ctx context.Context, conn *pgx.Conn) error {
		for _, name := range []string{p.main.database, p.lists.database} {
			var there bool
			if err := conn.QueryRow(ctx, "SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)", name).Scan(&there); err != nil {
				return err
			}
			if there {
				continue
			}
			if _, err := conn.Exec(ctx, "CREATE DATABASE "+name); err != nil && !madeByOthers(err) {
				return err
			}
		}
		return nil
	}), p.main.database)
}

// What Postgres calls the troubles that people can do something about.
const (
	noPrivilege       = "42501"
	noSuchDatabase    = "3D000"
	noSuchUser        = "28000"
	wrongPassword     = "28P01"
	tooMany           = "53300"
	duplicateDatabase = "42P04"
	duplicateRow      = "23505" // in pg_database, of two that make it at once
)

func madeByOthers(err error) bool {
	code := stateOf(err)
	return code == duplicateDatabase || code == duplicateRow
}

func stateOf(err error) string {
	if failure, ok := errors.AsType[*pgconn.PgError](err); ok {
		return failure.Code
	}
	return ""
}

// explain turns Postgres' words into one sentence that says what to do. What the driver says
// is left out where it may tell how it was to connect.
func (p *postgres) explain(err error, database string) error {
	if err == nil || errors.Is(err, errForeign) || errors.Is(err, errNewer) {
		return err
	}
	user := p.server.User.Username()
	switch code := stateOf(err); code {
	case "":
		return fmt.Errorf("no Postgres answers at %s; start it, or correct TEMPORALD_POSTGRES_URL", p.server.Host)
	case noPrivilege:
		return fmt.Errorf("user %s may not make the databases %s and %s; make them for that user, or allow it CREATEDB",
			user, p.main.database, p.lists.database)
	case noSuchUser, wrongPassword:
		return fmt.Errorf("Postgres at %s does not let in user %s; correct TEMPORALD_POSTGRES_URL", p.server.Host, user)
	case noSuchDatabase:
		return fmt.Errorf("Postgres at %s lacks the database that TEMPORALD_POSTGRES_URL names; name one that exists, like postgres", p.server.Host)
	case tooMany:
		return fmt.Errorf("Postgres at %s has no connections left; raise its max_connections", p.server.Host)
	default:
		failure, _ := errors.AsType[*pgconn.PgError](err)
		return fmt.Errorf("database %s cannot be used: %s (SQLSTATE %s)", database, failure.Message, code)
	}
}

// leaseKey is our advisory lock, in a database that nobody else has locks in.
const leaseKey = 7_233_000

const (
	leasePoll  = 50 * time.Millisecond // while another server has it
	leaseWatch = time.Second           // while we have it
)

// lease keeps other servers away from our databases: two would take histories out of each
// other's hands all the time. Postgres gives it free with our connection.
type lease struct {
	postgres *postgres
	logger   serverlog.Logger
	conn     *pgx.Conn
	stop     context.CancelFunc
	ended    sync.WaitGroup
}

// takeLease waits for a server that is still stopping.
func takeLease(ctx context.Context, p *postgres, o Options) (*lease, error) {
	l := &lease{postgres: p, logger: newLogger(o.Logs, zap.ErrorLevel)}
	var err error
	if l.conn, err = p.connect(ctx, p.main.database); err != nil {
		return nil, p.explain(err, p.main.database)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, o.LockWait, fmt.Errorf("still locked after %v", o.LockWait))
	defer cancel()
	for {
		ours, err := l.try(ctx)
		if ours {
			l.watch()
			return l, nil
		}
		select {
		case <-ctx.Done():
			l.close()
			return nil, fmt.Errorf("database %s is used by another server: %w", p.main.database, context.Cause(ctx))
		case <-time.After(leasePoll):
		}
		if err != nil && ctx.Err() == nil {
			l.close()
			return nil, p.explain(err, p.main.database)
		}
	}
}

func (l *lease) try(ctx context.Context) (ours bool, err error) {
	err = l.conn.QueryRow(ctx, "SELECT pg_try_advisory_lock($1)", leaseKey).Scan(&ours)
	return ours, err
}

// watch takes the lock anew from a Postgres that was started again, and had forgotten it.
func (l *lease) watch() {
	ctx, stop := context.WithCancel(context.Background())
	l.stop = stop
	l.ended.Go(func() {
		tick := time.NewTicker(leaseWatch)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				l.renew(ctx)
			}
		}
	})
}

// renew ends the process when another server has come in between: it works with our data.
func (l *lease) renew(ctx context.Context) {
	if !l.conn.IsClosed() && l.conn.Ping(ctx) == nil {
		return
	}
	l.close()
	conn, err := l.postgres.connect(ctx, l.postgres.main.database)
	if err != nil {
		return // the next time, then
	}
	l.conn = conn
	if ours, err := l.try(ctx); err == nil && !ours {
		l.logger.Error("another server has taken the databases, after Postgres was started again", tag.String("database", l.postgres.main.database))
		os.Exit(1)
	}
}

func (l *lease) end() {
	l.stop()
	l.ended.Wait()
	l.close()
}

func (l *lease) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	_ = l.conn.Close(ctx)
}

var errNewer = errors.New("is newer than this server")

// schema is the tables of one database, as the server's module has them.
type schema struct {
	database, folder, version string
}

// The tables in which a schema's version is kept, made as the server's tool makes them.
const versionTables = `
CREATE TABLE IF NOT EXISTS schema_version (
	version_partition INT NOT NULL, db_name VARCHAR(255) NOT NULL, creation_time TIMESTAMP,
	curr_version VARCHAR(64), min_compatible_version VARCHAR(64), PRIMARY KEY (version_partition, db_name));
CREATE TABLE IF NOT EXISTS schema_update_history (
	version_partition INT NOT NULL, year INT NOT NULL, month INT NOT NULL, update_time TIMESTAMP NOT NULL,
	description VARCHAR(255), manifest_md5 VARCHAR(64), new_version VARCHAR(64), old_version VARCHAR(64),
	PRIMARY KEY (version_partition, year, month, update_time))`

// ensure brings the schema up to date: entirely or, if it is interrupted, not at all.
func (s schema) ensure(ctx context.Context, conn *pgx.Conn) error {
	return pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		current, err := s.current(ctx, tx)
		if err != nil {
			return err
		}
		if current.GT(semver.MustParse(s.version + ".0")) {
			// The server would go on. We have not tried that, and a server of the right version is at hand.
			return fmt.Errorf("the schema %d.%d of database %s %w, which knows %s; start the server that made it",
				current.Major, current.Minor, s.database, errNewer, s.version)
		}
		logger := serverlog.NewNoopLogger()
		return schematool.NewUpdateSchemaTask(&tables{ctx: ctx, tx: tx, database: s.database, current: current},
			&schematool.UpdateConfig{SchemaName: s.folder, TargetVersion: s.version}, logger).Run()
	})
}

// current is the version that the database has; 0.0 when it is empty.
func (s schema) current(ctx context.Context, tx pgx.Tx) (semver.Version, error) {
	var tables, ours int
	const count = `SELECT count(*), count(*) FILTER (WHERE table_name = 'schema_version') FROM information_schema.tables
		WHERE table_schema = current_schema()`
	if err := tx.QueryRow(ctx, count).Scan(&tables, &ours); err != nil {
		return semver.Version{}, err
	}
	if tables > 0 && ours == 0 {
		return semver.Version{}, fmt.Errorf("%s %w; choose another name with -databases", s.database, errForeign)
	}
	if _, err := tx.Exec(ctx, versionTables); err != nil {
		return semver.Version{}, err
	}
	var text string
	err := tx.QueryRow(ctx, "SELECT curr_version FROM schema_version WHERE version_partition = 0 AND db_name = $1", s.database).Scan(&text)
	if errors.Is(err, pgx.ErrNoRows) {
		return semver.Version{}, nil
	}
	if err != nil {
		return semver.Version{}, err
	}
	return semver.ParseTolerant(text)
}

// tables lets the server's own tool bring a database up to date in one transaction.
type tables struct {
	schematool.DB // what is not here, an update does not use
	ctx           context.Context
	tx            pgx.Tx
	database      string
	current       semver.Version
}

func (t *tables) ReadSchemaVersion() (string, error) { return t.current.String(), nil }

// Exec makes an index that spares readers like any other: a transaction cannot make one, and there
// are no readers, since we have the lease.
func (t *tables) Exec(statement string, args ...any) error {
	_, err := t.tx.Exec(t.ctx, strings.Replace(statement, "INDEX CONCURRENTLY", "INDEX", 1), args...)
	return err
}

func (t *tables) UpdateSchemaVersion(version, compatible string) error {
	return t.Exec(`INSERT INTO schema_version (version_partition, db_name, creation_time, curr_version, min_compatible_version)
		VALUES (0, $1, $2, $3, $4) ON CONFLICT (version_partition, db_name) DO UPDATE SET creation_time = excluded.creation_time,
		curr_version = excluded.curr_version, min_compatible_version = excluded.min_compatible_version`,
		t.database, time.Now().UTC(), version, compatible)
}

func (t *tables) WriteSchemaUpdateLog(from, to, sum, description string) error {
	now := time.Now().UTC()
	return t.Exec(`INSERT INTO schema_update_history
		(version_partition, year, month, update_time, old_version, new_version, manifest_md5, description) VALUES (0, $1, $2, $3, $4, $5, $6, $7)`,
		now.Year(), int(now.Month()), now, from, to, sum, description)
}
