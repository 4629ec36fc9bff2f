// Package supervisor keeps a chaos target: it is the process that holds the public listener, the golden copy,
// the snapshots of the database and the lease, and that breaks and repairs the target on command. It is
// never broken itself.
//
// By itself it only reverts a fault whose lease is over, also when the caller or the supervisor
// itself died in between. Checking the chaos target and choosing repairs is the healer's work.
//
// The directory of a chaos target:
//
//	live/              the critical files, and nothing else that a fault can reach by a path
//	target.db -wal -shm  the replica's database
//	snapshots/         the last good copies of it
//	lease.json         the fault that is there, until when; lease.ended.json the one before
//	manifest.key       signs the manifest
package supervisor

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"customerzero/internal/domain/target"
	"customerzero/internal/target/faults"
)

// Options describes what to keep, and how.
type Options struct {
	Dir string // of the chaos target; made when it is missing
	// Listener is the public one. The supervisor never accepts on it and never lets go of it, so that
	// callers wait while there is no replica, instead of being refused.
	Listener net.Listener
	// Command starts the replica: program and arguments. The listener is its file 3. When its
	// standard input ends, it must stop: its supervisor is gone.
	Command []string
	Env     []string // all of the replica's environment; nothing of the supervisor's own is handed on
	Golden  fs.FS    // the critical files as they must be
	Key     string   // of callers
	Log     *slog.Logger
	Output  io.Writer // of the replica; nil: discarded
}

// Supervisor keeps one chaos target.
type Supervisor struct {
	key      [sha256.Size]byte
	log      *slog.Logger
	root     *os.Root
	files    *files
	database *database
	process  *process
	leases   *leases
	manifest target.Signed
	// turn is held by the command that changes the chaos target: commands run one after the other.
	turn        chan struct{}
	inspections singleflight.Group
}

// New makes the directory ready: at the very first start with the golden files. Later on it
// leaves all files as they are.
func New(o Options) (*Supervisor, error) {
	if o.Key == "" || len(o.Command) == 0 {
		return nil, errors.New("a supervisor needs a key and the command of its replica")
	}
	if o.Log == nil {
		o.Log = slog.Default()
	}
	listener, err := listenerFile(o.Listener)
	if err != nil {
		return nil, err
	}
	if o.Dir, err = filepath.Abs(o.Dir); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(o.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("make the directory of the chaos target: %w", err)
	}
	root, err := os.OpenRoot(o.Dir)
	if err != nil {
		return nil, fmt.Errorf("open the directory of the chaos target: %w", err)
	}
	k := &Supervisor{key: sha256.Sum256([]byte(o.Key)), log: o.Log, root: root, turn: make(chan struct{}, 1)}
	k.process = newProcess(o, listener)
	k.database = &database{root: root, dir: o.Dir, process: k.process, log: o.Log}
	return k, k.prepare(o.Golden)
}

func (k *Supervisor) prepare(golden fs.FS) (err error) {
	if k.files, err = newFiles(k.root, golden); err != nil {
		return err
	}
	if k.manifest, err = sign(k.root, k.files.list); err != nil {
		return err
	}
	k.leases = readLeases(k.root, k.log)
	return nil
}

// target is what faults may touch, for one command. Close its Live afterwards.
func (k *Supervisor) target() (*faults.Target, error) {
	live, err := k.files.live()
	if err != nil {
		return nil, err
	}
	return &faults.Target{Live: live, Files: k.files, Database: k.database, Process: k.process}, nil
}

// lock waits until no other command changes the chaos target.
func (k *Supervisor) lock(ctx context.Context) (done func(), err error) {
	select {
	case k.turn <- struct{}{}:
		return func() { <-k.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// How often a snapshot is taken, and how soon it is tried again until there is a first one.
const (
	snapshotEvery = 10 * time.Second
	firstSnapshot = 500 * time.Millisecond
)

// Run takes back what is overdue, starts the replica, and watches over the lease and the
// snapshots until ctx ends. Then it stops the replica. A replica that dies stays dead until
// it is restarted on command.
func (k *Supervisor) Run(ctx context.Context) error {
	if err := k.runToEnd(ctx, k.begin); err != nil {
		k.log.ErrorContext(ctx, "supervisor: the chaos target did not start", "error", err)
	}
	var watches sync.WaitGroup
	watches.Go(func() { k.watchLease(ctx) })
	watches.Go(func() { k.takeSnapshots(ctx) })
	watches.Wait()
	return k.process.stop()
}

// begin starts the replica if reverting an expired fault did not. A failed revert is retried later.
func (k *Supervisor) begin(ctx context.Context) error {
	if err := k.revertExpired(ctx); err != nil {
		k.log.ErrorContext(ctx, "supervisor: a fault could not be reverted and is retried", "error", err)
	}
	done, err := k.lock(ctx)
	if err != nil {
		return err
	}
	defer done()
	if k.process.Alive() {
		return nil
	}
	return k.process.Restart(ctx)
}

func (k *Supervisor) takeSnapshots(ctx context.Context) {
	pause, said := time.Duration(0), ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		err := k.database.Snapshot(ctx)
		switch {
		case err == nil:
			pause, said = snapshotEvery, ""
		case ctx.Err() == nil && err.Error() != said: // once, not at every try
			said = err.Error()
			k.log.WarnContext(ctx, "supervisor: no snapshot was taken", "error", err)
		}
		pause = max(pause, firstSnapshot)
	}
}
