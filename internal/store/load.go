package store

import (
	"bufio"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"customerzero/internal/domain/post"
)

// Load is what a dump holds, and how to get its rows.
type Load struct {
	Version int64             // of the schema that it was taken of
	Tables  map[string]Digest // what has to come out
	Fill    func(fill func(table string, lines io.Reader) error) error
	// TakenAt is when the dump was taken, so that posts which may have gone out since are looked
	// for (see reckon). Zero: the rows stay exactly as they were, to be compared.
	TakenAt time.Time
}

// Load fills an empty database with the rows of a dump: all of them, in one transaction, or
// none. A database is empty that has only what its migrations wrote.
func (s *DB) Load(ctx context.Context, l Load) error {
	if err := s.CheckLoad(ctx, l.Version); err != nil {
		return err
	}
	if err := s.Migrate(ctx); err != nil {
		return err
	}
	pool, err := s.gorm.DB()
	if err != nil {
		return err
	}
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	if err := (&loading{ctx: ctx, tx: tx, dialect: s.dialect}).run(l); err != nil {
		return err
	}
	return tx.Commit()
}

// loading is the transaction that fills the database.
type loading struct {
	ctx     context.Context // it is the transaction's, and ends with it
	tx      *sql.Tx
	dialect string
	tables  map[string]Table
}

func (l *loading) run(load Load) error {
	tables, err := tablesOf(l.ctx, l.tx, l.dialect)
	if err != nil {
		return err
	}
	l.tables = map[string]Table{}
	for _, t := range tables {
		l.tables[t.Name] = t
		if _, there := load.Tables[t.Name]; !there {
			return fmt.Errorf("the backup lacks the table %s", t.Name)
		}
	}
	for name := range load.Tables {
		if _, known := l.tables[name]; !known {
			return fmt.Errorf("the backup has a table %s, which the schema has not", name)
		}
	}
	if err := l.hold(); err != nil {
		return err
	}
	if fresh, err := isFresh(l.ctx, l.tx, l.dialect); err != nil || !fresh {
		return errors.Join(err, errNotEmpty) // somebody came in between
	}
	return l.fill(load)
}

func (l *loading) fill(load Load) error {
	if err := l.deferKeys(); err != nil {
		return err
	}
	for name := range l.tables {
		if err := l.exec("DELETE FROM " + quoted(name)); err != nil {
			return err
		}
	}
	if err := load.Fill(l.insertAll); err != nil {
		return err
	}
	if err := l.restoreKeys(); err != nil {
		return err
	}
	if err := l.compare(load.Tables); err != nil {
		return err
	}
	if load.TakenAt.IsZero() {
		return nil
	}
	return l.reconcile(load.TakenAt, now())
}

// compare reads everything again: what stands there has to be what the dump said.
func (l *loading) compare(want map[string]Digest) error {
	for name, t := range l.tables {
		have, err := writeRows(l.ctx, l.tx, l.dialect, t, io.Discard)
		if err != nil {
			return err
		}
		if have != want[name] {
			return fmt.Errorf("the rows of %s did not come out as they were; nothing was restored", name)
		}
	}
	return nil
}

// insertAll writes a table's lines, some at a time.
func (l *loading) insertAll(name string, lines io.Reader) error {
	table, known := l.tables[name]
	if !known {
		return fmt.Errorf("there is no table %s", name)
	}
	const atOnce = 1000 // values; SQLite takes 32,766
	rowsAtOnce := max(1, atOnce/len(table.columns))
	var args []any
	for in := bufio.NewReaderSize(lines, 1<<16); ; {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return l.insert(table, args)
		}
		if err != nil {
			return fmt.Errorf("read the rows of %s: %w", name, err)
		}
		row, err := table.values(line)
		if err != nil {
			return err
		}
		args = append(args, row...)
		if len(args) == rowsAtOnce*len(table.columns) {
			if err := l.insert(table, args); err != nil {
				return err
			}
			args = args[:0]
		}
	}
}

func (l *loading) insert(t Table, args []any) error {
	if len(args) == 0 {
		return nil
	}
	row := "(?" + strings.Repeat(", ?", len(t.columns)-1) + ")"
	rows := row + strings.Repeat(", "+row, len(args)/len(t.columns)-1)
	if err := l.exec("INSERT INTO "+quoted(t.Name)+" ("+t.names()+") VALUES "+rows, args...); err != nil {
		return fmt.Errorf("the database refused rows of %s: %w", t.Name, err)
	}
	return nil
}

func (l *loading) exec(statement string, args ...any) error {
	_, err := l.tx.ExecContext(l.ctx, placed(l.dialect, statement), args...)
	return err
}

// Rows refer to one another, and to rows of their own table (a chaos run to the one it
// repeats), so no order of the tables satisfies every foreign key on the way. They are all
// checked at the end instead. Whoever owns the tables may ask for that, and need not be a
// superuser.

const foreignKeys = `SELECT 'ALTER TABLE ' || conrelid::regclass || ' ALTER CONSTRAINT ' || quote_ident(conname)
FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY 1`

func (l *loading) deferKeys() error {
	if l.dialect == "sqlite" {
		return l.exec("PRAGMA defer_foreign_keys = ON") // until the transaction ends
	}
	return l.alterKeys(" DEFERRABLE INITIALLY DEFERRED")
}

// restoreKeys checks what was put off, and makes the keys as they were. SQLite checks at the
// commit.
func (l *loading) restoreKeys() error {
	if l.dialect == "sqlite" {
		return nil
	}
	if err := l.exec("SET CONSTRAINTS ALL IMMEDIATE"); err != nil {
		return err
	}
	return l.alterKeys(" NOT DEFERRABLE")
}

func (l *loading) alterKeys(how string) error {
	rows, err := l.tx.QueryContext(l.ctx, foreignKeys)
	if err != nil {
		return err
	}
	defer func() { _ = rows.Close() }()
	var changes []string
	for rows.Next() {
		var change string
		if err := rows.Scan(&change); err != nil {
			return err
		}
		changes = append(changes, change+how)
	}
	if err := rows.Err(); err != nil || len(changes) == 0 {
		return err
	}
	return l.exec(strings.Join(changes, "; "))
}

// hold locks every table until the end, so that an API that is started too early waits.
func (l *loading) hold() error {
	if l.dialect == "sqlite" {
		return nil // the transaction is the only writer
	}
	names := make([]string, 0, len(l.tables))
	for name := range l.tables {
		names = append(names, quoted(name))
	}
	if err := l.exec("SET LOCAL lock_timeout = '10s'"); err != nil {
		return err
	}
	return l.exec("LOCK TABLE " + strings.Join(names, ", ") + " IN ACCESS EXCLUSIVE MODE")
}

// codeRestored is the code of an attempt without a known outcome: the post may have gone out after the
// backup was taken.
const codeRestored = "restored"

// reconcile makes restored rows careful. Between the backup and now every scheduled post may have
// gone out, and only the timeline can tell:
//
//   - one whose time has come counts as armed when the backup was taken, so that its run looks
//     twice before it sends;
//   - one that is still to come has an attempt behind it, so that X's word "duplicate" is looked
//     into, instead of failing it: somebody may have sent it early;
//   - failed and unknown ones are looked for since the backup, whenever they are tried again.
func (l *loading) reconcile(takenAt, now time.Time) error {
	due := "status = '" + string(post.StatusScheduled) + "' AND scheduled_at <= ? AND (waiting_until IS NULL OR waiting_until <= ?)"
	takenAt = stamp(takenAt)
	attempt := "INSERT INTO post_attempts (post_id, number, started_at, ended_at, outcome, code) SELECT id, attempt + 1, "
	for _, step := range []struct {
		statement string
		args      []any
	}{
		{
			"UPDATE posts SET first_armed_at = ? WHERE first_armed_at IS NULL AND open_key IS NOT NULL AND status IN ('scheduled', 'failed', 'unknown')",
			[]any{takenAt},
		},
		{attempt + l.time() + ", NULL, 'pending', '' FROM posts WHERE " + due, []any{takenAt, now, now}},
		{attempt + l.time() + ", " + l.time() + ", 'waiting', ? FROM posts WHERE status = 'scheduled' AND NOT (" + due + ")", []any{takenAt, takenAt, codeRestored, now, now}},
		{"UPDATE posts SET attempt = attempt + 1 WHERE status = 'scheduled'", nil},
		{"UPDATE posts SET status = 'armed', armed_at = ?, waiting_until = NULL, code = '', reason = '' WHERE " + due, []any{takenAt, now, now}},
	} {
		if err := l.exec(step.statement, step.args...); err != nil {
			return err
		}
	}
	return nil
}

// time is a value's place where the database cannot guess that it is a time.
func (l *loading) time() string {
	if l.dialect == "postgres" {
		return "CAST(? AS timestamptz)"
	}
	return "?"
}
