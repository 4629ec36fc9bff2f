package node

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"go.temporal.io/server/common/persistence/sql/sqlplugin"
	sqliteschema "go.temporal.io/server/schema/sqlite"
	_ "modernc.org/sqlite" // the driver "sqlite"
)

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
