package node

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// newDatabase returns a database with its schema.
func newDatabase(t *testing.T) database {
	t.Helper()
	db := database{file: filepath.Join(t.TempDir(), "temporal.db")}
	require.NoError(t, db.ensureSchema(t.Context()))
	return db
}

func TestEnsureSchemaRefuses(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		spoil func(t *testing.T, file string)
		says  string
	}{
		"a file of another kind": {
			spoil: func(t *testing.T, file string) {
				require.NoError(t, os.WriteFile(file, bytes.Repeat([]byte("noise "), 2000), 0o600))
			},
			says: "is not a SQLite database",
		},
		"a file that was cut short": {
			spoil: func(t *testing.T, file string) { require.NoError(t, os.Truncate(file, 20_000)) },
			says:  "is damaged",
		},
		"a file with broken pages": {
			spoil: func(t *testing.T, file string) {
				f, err := os.OpenFile(file, os.O_RDWR, 0)
				require.NoError(t, err)
				_, err = f.WriteAt(bytes.Repeat([]byte{0x55}, 60_000), 40_000)
				require.NoError(t, err)
				require.NoError(t, f.Close())
			},
			says: "is damaged",
		},
		"a database of another program": {
			spoil: func(t *testing.T, file string) {
				require.NoError(t, os.Remove(file))
				db, err := sql.Open("sqlite", "file:"+file)
				require.NoError(t, err)
				_, err = db.ExecContext(t.Context(), "CREATE TABLE posts (id INTEGER)")
				require.NoError(t, err)
				require.NoError(t, db.Close())
			},
			says: "is a database of another program",
		},
		"a file marked read-only": {
			spoil: func(t *testing.T, file string) { require.NoError(t, os.Chmod(file, 0o400)) },
			says:  "is read-only",
		},
		"a folder": {
			spoil: func(t *testing.T, file string) {
				require.NoError(t, os.Remove(file))
				require.NoError(t, os.Mkdir(file, 0o700))
			},
			says: "is not a file",
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := newDatabase(t)
			tt.spoil(t, db.file)
			require.ErrorContains(t, db.ensureSchema(t.Context()), db.file+" "+tt.says)
		})
	}
}

func TestEnsureNamespaceKeepsOthers(t *testing.T) {
	t.Parallel()
	db := newDatabase(t)
	for _, name := range []string{"first", "second", "second"} {
		require.NoError(t, db.ensureNamespace(Options{Namespace: name}))
	}
	require.NoError(t, db.ensureSchema(t.Context()))
	require.Equal(t, 2, db.count(t, "SELECT count(*) FROM namespaces"))
}

func TestEnsureSchemaStartsOver(t *testing.T) {
	t.Parallel()
	tests := map[string]func(t *testing.T, file string){
		"when the file is empty": func(t *testing.T, file string) {
			require.NoError(t, os.Truncate(file, 0))
		},
		"when the first start was cut short": func(t *testing.T, file string) {
			require.NoError(t, os.Remove(file))
			db, err := sql.Open("sqlite", "file:"+file)
			require.NoError(t, err)
			_, err = db.ExecContext(t.Context(), "PRAGMA user_version = 0; VACUUM")
			require.NoError(t, errors.Join(err, db.Close()))
		},
		"when only the log of a deleted file is left": func(t *testing.T, file string) {
			require.NoError(t, os.Rename(file, file+"-wal"))
		},
	}
	for name, leave := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			db := newDatabase(t)
			leave(t, db.file)
			require.NoError(t, db.ensureSchema(t.Context()))
			require.Zero(t, db.count(t, "SELECT count(*) FROM namespaces"))
			require.NoFileExists(t, db.file+"-wal")
		})
	}
}

func (d database) count(t *testing.T, query string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+d.file)
	require.NoError(t, err)
	defer func() { require.NoError(t, db.Close()) }()
	require.NoError(t, db.QueryRowContext(t.Context(), query).Scan(&n))
	return n
}

func TestLockFile(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "temporal.db")
	held, err := lockFile(t.Context(), file, 0)
	require.NoError(t, err)

	gone := errors.New("the launcher has ended")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(gone)
	_, err = lockFile(ctx, file, time.Hour)
	require.ErrorIs(t, err, gone, "the wait ends with its context")
	require.NoError(t, held.Close())
}

func TestLockFileNeedsAFolder(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	require.NoError(t, os.WriteFile(file, nil, 0o600))
	_, err := lockFile(t.Context(), filepath.Join(file, "temporal.db"), 0)
	require.ErrorContains(t, err, "cannot create the directory of the database")

	require.NoError(t, os.Mkdir(file+".db.lock", 0o700))
	_, err = lockFile(t.Context(), file+".db", 0)
	require.ErrorContains(t, err, "cannot write to the directory of the database")
}
