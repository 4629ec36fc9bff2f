package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

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
	if failure, ok := errors.AsType[*sqlite.Error](err); ok {
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
