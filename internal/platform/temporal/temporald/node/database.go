package node

import (
	"context"
	"fmt"
	"net/url"

	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	sqliteschema "go.temporal.io/server/schema/sqlite"
	"google.golang.org/protobuf/types/known/durationpb"
)

// database is the server's SQLite file.
type database struct {
	file string
	sync string
}

// prepare leaves a sound file with the schema and the namespace in it.
func (d database) prepare(ctx context.Context, o Options) error {
	if err := d.ensureSchema(ctx); err != nil {
		return err
	}
	return ensureNamespace(o, d.config(), d.file)
}

// ensureNamespace is for every database, whatever the package of the server's is called that
// does it. where is for people.
func ensureNamespace(o Options, db *config.SQL, where string) error {
	namespace, err := sqliteschema.NewNamespaceConfig(clusterName, o.Namespace, false, o.SearchAttributes)
	if err != nil {
		return err
	}
	namespace.Detail.Config.Retention = durationpb.New(o.Retention) // 24 h otherwise
	if err := sqliteschema.CreateNamespaces(db, namespace); err != nil {
		return fmt.Errorf("cannot make namespace %s in %s: %w", o.Namespace, where, err)
	}
	return nil
}

// config is how the server opens the file: with a write-ahead log, which is two to five
// times as fast as SQLite's default, and with one connection. More are slower, and
// run into SQLITE_BUSY.
func (d database) config() *config.SQL {
	return &config.SQL{
		PluginName:   sqlite.PluginName,
		DatabaseName: d.escaped(),
		ConnectAttributes: map[string]string{
			"mode": "rw", "journal_mode": "wal", "synchronous": d.sync, "busy_timeout": "10000",
		},
		MaxConns:     1,
		MaxIdleConns: 1,
	}
}

// escaped is the file name as a part of a URI, which is how SQLite is told the rest.
func (d database) escaped() string { return (&url.URL{Path: d.file}).EscapedPath() }
