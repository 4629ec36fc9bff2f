package store

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"gorm.io/gorm"

	"customerzero/internal/domain/post"
)

// Load is a dump to restore.
type Load struct {
	Version int64             // schema version of the dump
	Tables  map[string]Digest // expected after the restore
	Fill    func(fill func(table string, lines io.Reader) error) error
	// TakenAt is when the dump was taken: posts that may have been published since are reconciled (see
	// reconcile). If zero, the rows stay exactly as dumped.
	TakenAt time.Time
}

// Load fills an empty database with all rows of a dump, in one transaction. A database counts as empty
// if it has only the rows that its migrations wrote.
func (s *DB) Load(ctx context.Context, l Load) error {
	if err := s.CheckLoad(ctx, l.Version); err != nil {
		return err
	}
	if err := s.Migrate(ctx); err != nil {
		return err
	}
	return s.gorm.WithContext(ctx).Transaction(func(tx *gorm.DB) error {
		tables, err := tablesOf(tx)
		if err != nil {
			return err
		}
		fill := loading{tx, map[string]Table{}}
		for _, t := range tables {
			fill.tables[t.Name] = t
		}
		return fill.run(l)
	})
}

type loading struct {
	tx     *gorm.DB
	tables map[string]Table
}

func (l loading) run(load Load) error {
	for name := range l.tables {
		if _, found := load.Tables[name]; !found {
			return fmt.Errorf("the backup is missing table %s; nothing was restored", name)
		}
	}
	for name := range load.Tables {
		if _, known := l.tables[name]; !known {
			return fmt.Errorf("the backup has a table %s that this schema does not have; nothing was restored", name)
		}
	}
	if err := l.hold(); err != nil {
		return err
	}
	if fresh, err := isFresh(l.tx); err != nil || !fresh {
		return errors.Join(err, errNotEmpty) // another process wrote rows after CheckLoad
	}
	if err := l.deferKeys(); err != nil {
		return err
	}
	for name := range l.tables {
		if err := l.tx.Exec("DELETE FROM " + quoted(name)).Error; err != nil {
			return err
		}
	}
	if err := load.Fill(l.insertAll); err != nil {
		return err
	}
	if err := l.restoreKeys(); err != nil {
		return err
	}
	if err := l.compare(load.Tables); err != nil || load.TakenAt.IsZero() {
		return err
	}
	return reconcile(l.tx, stamp(load.TakenAt), now())
}

// compare reads all rows back and compares them with the dump's digests.
func (l loading) compare(want map[string]Digest) error {
	have, err := digests(l.tx, slices.Collect(maps.Values(l.tables)))
	for name := range have {
		if have[name] != want[name] {
			err = fmt.Errorf("the restored rows of %s differ from the backup; nothing was restored", name)
		}
	}
	return err
}

func (l loading) insertAll(name string, lines io.Reader) error {
	table, known := l.tables[name]
	if !known {
		return fmt.Errorf("there is no table %s", name)
	}
	const atOnce = 1000 // values; SQLite takes 32,766
	rowsAtOnce := max(1, atOnce/len(table.columns))
	var rows []map[string]any
	for in := bufio.NewReaderSize(lines, 1<<16); ; {
		line, err := in.ReadBytes('\n')
		ended := errors.Is(err, io.EOF) && len(line) == 0
		if err != nil && !ended {
			return fmt.Errorf("read the rows of %s: %w", name, err)
		}
		if len(rows) == rowsAtOnce || ended && len(rows) > 0 {
			if err := l.tx.Table(name).Create(rows).Error; err != nil {
				return fmt.Errorf("the database refused rows of %s: %w", name, err)
			}
			rows = nil
		}
		if ended {
			return nil
		}
		row, err := table.row(line)
		if err != nil {
			return err
		}
		rows = append(rows, row)
	}
}

// foreignKeys lists the foreign keys of the schema. Rows refer to one another, also within a table (a chaos
// run to the one it repeats), so no order of the tables satisfies every key during the load. They are all
// checked at the end, which the owner of the tables may request without being a superuser.
const foreignKeys = `SELECT 'ALTER TABLE ' || conrelid::regclass || ' ALTER CONSTRAINT ' || quote_ident(conname)
FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY 1`

func (l loading) deferKeys() error {
	if l.tx.Name() == "sqlite" {
		return l.tx.Exec("PRAGMA defer_foreign_keys = ON").Error // until the transaction ends
	}
	return l.alterKeys(" DEFERRABLE INITIALLY DEFERRED; ")
}

// restoreKeys checks the deferred keys and makes them immediate again. SQLite checks them at commit.
func (l loading) restoreKeys() error {
	if l.tx.Name() == "sqlite" {
		return nil
	}
	if err := l.tx.Exec("SET CONSTRAINTS ALL IMMEDIATE").Error; err != nil {
		return err
	}
	return l.alterKeys(" NOT DEFERRABLE; ")
}

func (l loading) alterKeys(how string) error {
	var changes []string
	if err := l.tx.Raw(foreignKeys).Scan(&changes).Error; err != nil || len(changes) == 0 {
		return err
	}
	return l.tx.Exec(strings.Join(changes, how) + how).Error
}

// hold locks every table until the end, so that an API that is started too early waits.
func (l loading) hold() error {
	if l.tx.Name() == "sqlite" {
		return nil // the transaction is the only writer
	}
	names := slices.Collect(maps.Keys(l.tables))
	for i := range names {
		names[i] = quoted(names[i])
	}
	if err := l.tx.Exec("SET LOCAL lock_timeout = '10s'").Error; err != nil {
		return err
	}
	return l.tx.Exec("LOCK TABLE " + strings.Join(names, ", ") + " IN ACCESS EXCLUSIVE MODE").Error
}

// codeRestored is the code of an attempt without a known outcome: the post may have been published after
// the backup was taken.
const codeRestored = "restored"

// reconcile prevents double posting after a restore. Every scheduled post may have been published between
// the backup and now, and only the timeline shows whether it was:
//
//   - A post that is due counts as armed since the backup, so that its run checks the timeline twice before
//     it sends.
//   - A post that is not due yet gets an attempt, so that a "duplicate" error of X is checked against the
//     timeline instead of failing the post: it may have been sent early.
//   - Failed and unknown posts are searched for from the time of the backup when they are retried.
func reconcile(tx *gorm.DB, takenAt, now time.Time) error {
	sought := []post.Status{post.StatusScheduled, post.StatusFailed, post.StatusUnknown}
	err := tx.Model(&post.Post{}).Where("first_armed_at IS NULL AND open_key IS NOT NULL AND status IN ?", sought).
		UpdateColumn("first_armed_at", takenAt).Error
	if err != nil {
		return err
	}
	scheduled, err := readAll[post.Post](tx.Where("status = ?", post.StatusScheduled))
	if err != nil {
		return err
	}
	for _, p := range scheduled {
		p.Attempt++
		attempt := post.Attempt{PostID: p.ID, Number: p.Attempt, StartedAt: takenAt, Outcome: post.OutcomePending}
		if p.ScheduledAt.After(now) || p.WaitingUntil != nil && p.WaitingUntil.After(now) {
			attempt.EndedAt, attempt.Outcome, attempt.Code = &takenAt, post.OutcomeWaiting, codeRestored
		} else {
			p.Status, p.ArmedAt, p.WaitingUntil, p.Code, p.Reason = post.StatusArmed, &takenAt, nil, "", ""
		}
		if err := errors.Join(tx.Create(&attempt).Error, mustChange(tx.Select("*").UpdateColumns(&p))); err != nil {
			return err
		}
	}
	return nil
}

// Unfinished is a database that is being restored. An SQLite file has another name until it is complete,
// so that an incomplete one is never opened.
type Unfinished struct {
	*DB
	path string // the final name of an SQLite file; empty for Postgres
}

const unfinished = ".restoring"

// OpenUnfinished opens the database to restore into. An existing database must be empty.
func OpenUnfinished(ctx context.Context, address string, version int64) (*Unfinished, error) {
	path := SQLitePath(address)
	if path == "" {
		s, err := Open(address)
		return &Unfinished{s, ""}, err
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		s, err := Open(address)
		if err != nil {
			return nil, err
		}
		if err := errors.Join(s.CheckLoad(ctx, version), s.Close()); err != nil {
			return nil, err
		}
	}
	if err := remove(path + unfinished); err != nil {
		return nil, err
	}
	s, err := Open(strings.Replace(address, path, path+unfinished, 1))
	return &Unfinished{s, path}, err
}

// Finish closes the database and moves an SQLite file to its final name.
func (u *Unfinished) Finish() error {
	if err := u.Close(); err != nil || u.path == "" {
		return err
	}
	if err := errors.Join(synced(u.path+unfinished), remove(u.path)); err != nil {
		return err
	}
	if err := os.Rename(u.path+unfinished, u.path); err != nil {
		return err
	}
	return synced(filepath.Dir(u.path))
}

// Drop closes the database and removes an SQLite file.
func (u *Unfinished) Drop() error {
	err := u.Close()
	if u.path == "" {
		return err
	}
	return errors.Join(err, remove(u.path+unfinished))
}

func remove(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

func synced(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}

var errNotEmpty = errors.New("the database is not empty, so nothing was restored: " +
	"set DATABASE_URL to an empty database, or move this one away")

// CheckLoad returns an error unless a dump of this schema version can be loaded into the database.
func (s *DB) CheckLoad(ctx context.Context, version int64) error {
	own, err := s.schemaVersion()
	if err != nil {
		return err
	}
	if version != own {
		return fmt.Errorf("the backup has schema version %d and this program's is %d: restore it with the program version that wrote it, then upgrade", version, own)
	}
	fresh, err := isFresh(s.gorm.WithContext(ctx))
	if err == nil && !fresh {
		err = errNotEmpty
	}
	return err
}

// isFresh reports whether the database is empty or has only the rows that its migrations wrote.
func isFresh(tx *gorm.DB) (bool, error) {
	version, err := versionOf(tx)
	if err != nil {
		return false, err
	}
	tables, err := tablesOf(tx)
	if err != nil || version == 0 {
		return len(tables) == 0, err
	}
	empty, err := newDigests()
	if err != nil {
		return false, err
	}
	have, err := digests(tx, tables)
	return maps.Equal(have, empty), err
}

// newDigests returns the digests of a newly migrated database. Migrations always write the same rows, so
// one SQLite database is created to read them.
var newDigests = sync.OnceValues(func() (map[string]Digest, error) {
	dir, err := os.MkdirTemp("", "customerzero-new-")
	if err != nil {
		return nil, err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	s, err := Open(sqliteScheme + filepath.Join(dir, "new.db"))
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }()
	if err := s.Migrate(context.Background()); err != nil {
		return nil, err
	}
	tables, err := tablesOf(s.gorm)
	if err != nil {
		return nil, err
	}
	return digests(s.gorm, tables)
})

func digests(tx *gorm.DB, tables []Table) (all map[string]Digest, err error) {
	all = map[string]Digest{}
	for _, t := range tables {
		if all[t.Name], err = writeRows(tx, t, io.Discard); err != nil {
			return nil, err
		}
	}
	return all, nil
}
