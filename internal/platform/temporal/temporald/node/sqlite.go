package node

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"go.temporal.io/server/common/config"
	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	"go.temporal.io/server/common/persistence/sql/sqlplugin/sqlite"
	sqliteschema "go.temporal.io/server/schema/sqlite"
	"golang.org/x/sys/unix"
	"google.golang.org/protobuf/types/known/durationpb"
	driver "modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// database is the server's SQLite file.
type database struct{ file string }

func (d database) persistence() config.Persistence {
	return config.Persistence{
		DefaultStore: storeName, VisibilityStore: storeName, NumHistoryShards: 1, // one SQLite writer
		DataStores: map[string]config.DataStore{storeName: {SQL: d.config()}},
	}
}

// prepare leaves a sound file with the schema and the namespace in it.
func (d database) prepare(ctx context.Context, o Options) error {
	if err := d.ensureSchema(ctx); err != nil {
		return err
	}
	return d.ensureNamespace(o)
}

func (d database) ensureNamespace(o Options) error {
	namespace, err := sqliteschema.NewNamespaceConfig(clusterName, o.Namespace, false, o.SearchAttributes)
	if err != nil {
		return err
	}
	namespace.Detail.Config.Retention = durationpb.New(o.Retention) // 24 h otherwise
	if err := sqliteschema.CreateNamespaces(d.config(), namespace); err != nil {
		return fmt.Errorf("cannot make namespace %s in %s: %w", o.Namespace, d.file, err)
	}
	return nil
}

// config is how the server opens the file: with a write-ahead log, which is two to five
// times as fast as SQLite's default and survives a power cut, and with one connection. More are
// slower, and run into SQLITE_BUSY.
func (d database) config() *config.SQL {
	return &config.SQL{
		PluginName:   sqlite.PluginName,
		DatabaseName: d.escaped(),
		ConnectAttributes: map[string]string{
			"mode": "rw", "journal_mode": "wal", "synchronous": "full", "busy_timeout": "10000",
		},
		MaxConns:     1,
		MaxIdleConns: 1,
	}
}

// escaped is the file name as a part of a URI, which is how SQLite is told the rest.
func (d database) escaped() string { return (&url.URL{Path: d.file}).EscapedPath() }

// checkTime bounds the search for damaged pages, which reads the whole file: a start must
// not take long because the file is large.
const checkTime = 500 * time.Millisecond

var (
	errForeign = errors.New("is a database of another program")
	errDamaged = errors.New("is damaged")
)

// ensureSchema makes the tables in a new file, and refuses one that the server could not
// work with: the server itself would only log and retry. It uses a connection of its
// own, because the server's pool never closes one.
func (d database) ensureSchema(ctx context.Context) error {
	if err := d.checkFile(); err != nil {
		return err
	}
	db, err := sql.Open("sqlite", "file:"+d.escaped()+"?mode=rwc&_pragma=busy_timeout=10000")
	if err != nil {
		return err
	}
	db.SetMaxOpenConns(1)
	return d.explain(errors.Join(inspect(ctx, db), db.Close()))
}

func inspect(ctx context.Context, db *sql.DB) error {
	var all, ours int
	const count = `SELECT count(*), count(*) FILTER (WHERE name IN ('namespaces', 'executions', 'executions_visibility')) FROM sqlite_master`
	if err := db.QueryRowContext(ctx, count).Scan(&all, &ours); err != nil {
		return err
	}
	switch {
	case all == 0:
		return createSchema(ctx, db)
	case ours < 3:
		return errForeign
	}
	return findDamage(ctx, db)
}

// findDamage looks for broken pages as far as checkTime allows.
func findDamage(ctx context.Context, db *sql.DB) error {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	var found string
	err := db.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&found)
	switch {
	case ctx.Err() != nil:
		return nil
	case err != nil:
		return err
	case found != "ok":
		return fmt.Errorf("%w: %s", errDamaged, found)
	}
	return nil
}

// createSchema makes all tables or, if it is interrupted, none.
func createSchema(ctx context.Context, db *sql.DB) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	if err := sqliteschema.SetupSchemaOnDB(schemaWriter{ctx: ctx, tx: tx}); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	return tx.Commit()
}

// schemaWriter runs the server's schema in a transaction. Of AdminDB, SetupSchemaOnDB uses
// Exec only; a server that uses more panics in the first test.
type schemaWriter struct {
	sqlplugin.AdminDB
	ctx context.Context
	tx  *sql.Tx
}

func (w schemaWriter) Exec(statement string, args ...any) error {
	_, err := w.tx.ExecContext(w.ctx, statement, args...)
	return err
}

// checkFile looks at the file from outside, where the system's answers are clearer than
// SQLite's.
func (d database) checkFile() error {
	info, err := os.Stat(d.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return d.forget()
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", d.file)
	case info.Mode().Perm()&0o200 == 0: // asked of the mode, since root may write anything
		return fmt.Errorf("%s is read-only", d.file)
	case info.Size() == 0:
		return d.forget()
	}
	return nil
}

// forget removes the logs of a file that was deleted. SQLite would replay them into the new one.
func (d database) forget() error {
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if err := os.Remove(d.file + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot start over: %w", err)
		}
	}
	return nil
}

// explain turns SQLite's words into a sentence about the file.
func (d database) explain(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, errForeign) || errors.Is(err, errDamaged) {
		return fmt.Errorf("%s %w", d.file, err)
	}
	reason, code := "cannot be used", sqlite3.SQLITE_OK
	if failure, ok := errors.AsType[*driver.Error](err); ok {
		code = failure.Code() & 0xff // the rest tells how SQLite noticed
	}
	switch code {
	case sqlite3.SQLITE_NOTADB:
		reason = "is not a SQLite database"
	case sqlite3.SQLITE_CORRUPT:
		reason = errDamaged.Error()
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM:
		reason = "is read-only"
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		reason = "is used by another program"
	}
	return fmt.Errorf("%s %s: %w", d.file, reason, err)
}

// lockPoll is how often a lock that is held is tried again. It bounds what waiting for a
// predecessor adds to a start.
const lockPoll = 10 * time.Millisecond

// lockFile makes the database's folder and takes its lock, waiting for a predecessor that is
// still stopping. SQLite would let two servers share the file, and Temporal would not
// notice until histories contradict each other. The kernel frees the lock with the process.
func lockFile(ctx context.Context, dbFile string, wait time.Duration) (*os.File, error) {
	dir := filepath.Dir(dbFile)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the database: %w", err)
	}
	lock, err := os.OpenFile(dbFile+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot write to the folder of the database: %w", err)
	}
	if err := take(ctx, lock, wait); err != nil {
		err = fmt.Errorf("%s is used by another server%s: %w", dbFile, holder(lock), err)
		return nil, errors.Join(err, lock.Close())
	}
	return lock, sign(lock)
}

func take(ctx context.Context, lock *os.File, wait time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, fmt.Errorf("still locked after %v", wait))
	defer cancel()
	retry := time.NewTicker(lockPoll)
	defer retry.Stop()
	for {
		err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil || !errors.Is(err, unix.EWOULDBLOCK) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-retry.C:
		}
	}
}

// sign leaves the process number in the lock file, for the message of whoever is refused.
func sign(lock *os.File) error {
	if err := lock.Truncate(0); err != nil {
		return fmt.Errorf("cannot write to the folder of the database: %w", err)
	}
	_, err := lock.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	return err
}

func holder(lock *os.File) string {
	text, err := io.ReadAll(io.LimitReader(lock, 20))
	if pid := strings.TrimSpace(string(text)); err == nil && pid != "" {
		return " (process " + pid + ")"
	}
	return ""
}
