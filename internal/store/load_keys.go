package store

import "strings"

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

// hold keeps everybody else out until the end: an API that is started too early waits.
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
