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

// prepare creates the schema and the namespace if needed.
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
		return fmt.Errorf("cannot create the namespace %s in %s: %w", o.Namespace, d.file, err)
	}
	return nil
}

// config opens the file with a write-ahead log, which is 2 to 5 times as fast as SQLite's default and survives a
// power cut, and with one connection: more are slower and cause SQLITE_BUSY.
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

// escaped returns the file name as a part of an SQLite URI.
func (d database) escaped() string { return (&url.URL{Path: d.file}).EscapedPath() }

// checkTime bounds the check for damaged pages, which reads the whole file, so that a large file does not delay the
// start.
const checkTime = 500 * time.Millisecond

var (
	errForeign = errors.New("is a database of another program")
	errDamaged = errors.New("is damaged")
)

// ensureSchema creates the tables in a new file and refuses an unusable one, for which the server would only log and
// retry. It uses a separate connection, because the server's pool never closes one.
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

// findDamage checks pages until checkTime is over.
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

// createSchema creates all tables in one transaction.
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

// schemaWriter runs the server's schema in a transaction. SetupSchemaOnDB uses only Exec of AdminDB; any other
// method would panic in the first test.
type schemaWriter struct {
	sqlplugin.AdminDB
	ctx context.Context
	tx  *sql.Tx
}

func (w schemaWriter) Exec(statement string, args ...any) error {
	_, err := w.tx.ExecContext(w.ctx, statement, args...)
	return err
}

// checkFile checks the file with the system's calls, whose errors are clearer than SQLite's.
func (d database) checkFile() error {
	info, err := os.Stat(d.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return d.removeLogs()
	case err != nil:
		return err
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file", d.file)
	case info.Mode().Perm()&0o200 == 0: // the mode, because root can write anyway
		return fmt.Errorf("%s is read-only", d.file)
	case info.Size() == 0:
		return d.removeLogs()
	}
	return nil
}

// removeLogs removes the logs of a deleted file, which SQLite would replay into the new one.
func (d database) removeLogs() error {
	for _, suffix := range []string{"-wal", "-shm", "-journal"} {
		if err := os.Remove(d.file + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("cannot remove the logs of the deleted database: %w", err)
		}
	}
	return nil
}

// explain turns an SQLite error into a sentence about the file.
func (d database) explain(err error) error {
	if err == nil {
		return nil
	}
	if errors.Is(err, errForeign) || errors.Is(err, errDamaged) {
		return fmt.Errorf("%s %w", d.file, err)
	}
	reason, code := "cannot be used", sqlite3.SQLITE_OK
	if failure, ok := errors.AsType[*driver.Error](err); ok {
		code = failure.Code() & 0xff // without the extended code
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

// lockPoll is the interval between two tries to take the lock.
const lockPoll = 10 * time.Millisecond

// lockFile creates the database's directory and takes its lock, which the kernel releases with the process. SQLite
// would let two servers share the file, and Temporal would notice only when histories conflict.
func lockFile(ctx context.Context, dbFile string, wait time.Duration) (*os.File, error) {
	dir := filepath.Dir(dbFile)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot create the directory of the database: %w", err)
	}
	lock, err := os.OpenFile(dbFile+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot write to the directory of the database: %w", err)
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

// sign writes the process ID to the lock file, for the error message of another server.
func sign(lock *os.File) error {
	if err := lock.Truncate(0); err != nil {
		return fmt.Errorf("cannot write to the directory of the database: %w", err)
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
