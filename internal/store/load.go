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

// Load is what a dump holds, and how to get its rows.
type Load struct {
	Version int64             // of the schema that it was taken of
	Tables  map[string]Digest // what has to come out
	Fill    func(fill func(table string, lines io.Reader) error) error
	// TakenAt is when the dump was taken, so that posts which may have gone out since are looked
	// for (see reconcile). Zero: the rows stay exactly as they were, to be compared.
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

// loading is the transaction that fills the database.
type loading struct {
	tx     *gorm.DB
	tables map[string]Table
}

func (l loading) run(load Load) error {
	for name := range l.tables {
		if _, there := load.Tables[name]; !there {
			return fmt.Errorf("the backup lacks the table %s", name)
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
	if fresh, err := isFresh(l.tx); err != nil || !fresh {
		return errors.Join(err, errNotEmpty) // somebody came in between
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

// compare reads everything again: what stands there has to be what the dump said.
func (l loading) compare(want map[string]Digest) error {
	have, err := digests(l.tx, slices.Collect(maps.Values(l.tables)))
	for name := range have {
		if have[name] != want[name] {
			err = fmt.Errorf("the rows of %s did not come out as they were; nothing was restored", name)
		}
	}
	return err
}

// insertAll writes a table's lines, some at a time.
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

// Rows refer to one another, and to rows of their own table (a chaos run to the one it
// repeats), so no order of the tables satisfies every foreign key on the way. They are all
// checked at the end instead. Whoever owns the tables may ask for that, and need not be a
// superuser.

const foreignKeys = `SELECT 'ALTER TABLE ' || conrelid::regclass || ' ALTER CONSTRAINT ' || quote_ident(conname)
FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace ORDER BY 1`

func (l loading) deferKeys() error {
	if l.tx.Name() == "sqlite" {
		return l.tx.Exec("PRAGMA defer_foreign_keys = ON").Error // until the transaction ends
	}
	return l.alterKeys(" DEFERRABLE INITIALLY DEFERRED; ")
}

// restoreKeys checks what was put off, and makes the keys as they were. SQLite checks at the
// commit.
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
// so that half of it is never opened.
type Unfinished struct {
	*DB
	path string // where it belongs; empty: it is there
}

const unfinished = ".restoring"

// OpenUnfinished opens the place for a restored database. What is there already has to be empty.
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

// Finish closes the database and puts it where it belongs.
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

// Drop closes the database, and leaves nothing of a file.
func (u *Unfinished) Drop() error {
	err := u.Close()
	if u.path == "" {
		return err
	}
	return errors.Join(err, remove(u.path+unfinished))
}

// remove takes a database file away, with its logs.
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

var errNotEmpty = errors.New("the database is not empty: a restore goes into an empty one; " +
	"make a new one and name it with DATABASE_URL, or move the old one away")

// CheckLoad says whether a dump of that schema can be loaded here.
func (s *DB) CheckLoad(ctx context.Context, version int64) error {
	own, err := s.schemaVersion()
	if err != nil {
		return err
	}
	if version != own {
		return fmt.Errorf("the backup is of the schema %d, and this program's is %d: restore it with the program that wrote it, and upgrade then", version, own)
	}
	fresh, err := isFresh(s.gorm.WithContext(ctx))
	if err == nil && !fresh {
		err = errNotEmpty
	}
	return err
}

// isFresh says whether the database holds nothing, or what its migrations wrote and no more.
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

// newDigests are those of a new database. What migrations alone write is always the same, so one is made
// to see what is in it.
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
