package node

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"

	"github.com/jackc/pgx/v5"
	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/postgresql"
	v12 "go.temporal.io/server/schema/postgresql/v12"
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
