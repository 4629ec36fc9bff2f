package node

import (
	"context"
	"os"

	"go.temporal.io/server/common/config"
)

// storage is where a server keeps what it knows.
type storage interface {
	// take waits until no other server uses it, and keeps others out until release.
	take(ctx context.Context, o Options) error
	// prepare leaves the schema and the namespace in it.
	prepare(ctx context.Context, o Options) error
	persistence() config.Persistence
	release()
}

func (o Options) storage() (storage, error) {
	if o.Postgres == "" {
		return &lockedFile{database: database{file: o.DBFile, sync: o.Sync}}, nil
	}
	return newPostgres(o)
}

// lockedFile is a SQLite file that is ours alone.
type lockedFile struct {
	database
	lock *os.File
}

func (f *lockedFile) take(ctx context.Context, o Options) (err error) {
	f.lock, err = lockFile(ctx, f.file, o.LockWait)
	return err
}

func (f *lockedFile) persistence() config.Persistence {
	return config.Persistence{
		DefaultStore: storeName, VisibilityStore: storeName, NumHistoryShards: 1, // one SQLite writer
		DataStores: map[string]config.DataStore{storeName: {SQL: f.config()}},
	}
}

func (f *lockedFile) release() { _ = f.lock.Close() } // closing releases the lock
