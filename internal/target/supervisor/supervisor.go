// Package supervisor owns a chaos target's public listener, golden copy, database snapshots and lease, and
// injects and reverts faults on command. No fault affects it.
//
// Without a command it only reverts a fault whose lease is over, even if the caller or the supervisor died in
// between. The healer checks the chaos target and chooses repairs.
//
// The directory of a chaos target:
//
//	live/              the critical files; faults cannot leave this folder
//	target.db -wal -shm  the replica's database
//	snapshots/         copies of the database
//	lease.json         the active fault's lease; lease.ended.json the previous one
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

// Options configures a supervisor.
type Options struct {
	Dir string // of the chaos target; created if missing
	// Listener is the public listener. The supervisor never accepts on it and never closes it, so that
	// callers wait while there is no replica.
	Listener net.Listener
	// Command is the replica's program and arguments. The replica's file 3 is the listener. It must stop when
	// its standard input ends, because the supervisor is gone.
	Command []string
	Env     []string // the replica's complete environment
	Golden  fs.FS    // golden copy of the critical files
	Key     string   // required from callers
	Log     *slog.Logger
	Output  io.Writer // for the replica's output; nil: discarded
}

// Supervisor owns one chaos target.
type Supervisor struct {
	key      [sha256.Size]byte
	log      *slog.Logger
	root     *os.Root
	files    *files
	database *database
	process  *process
	leases   *leases
	manifest target.Signed
	// turn serializes the commands that change the chaos target.
	turn        chan struct{}
	inspections singleflight.Group
}

// New prepares the directory. It writes the golden files at the very first start only.
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
	s := &Supervisor{key: sha256.Sum256([]byte(o.Key)), log: o.Log, root: root, turn: make(chan struct{}, 1)}
	s.process = newProcess(o, listener)
	s.database = &database{root: root, dir: o.Dir, process: s.process, log: o.Log}
	return s, s.prepare(o.Golden)
}

func (s *Supervisor) prepare(golden fs.FS) (err error) {
	if s.files, err = newFiles(s.root, golden); err != nil {
		return err
	}
	if s.manifest, err = sign(s.root, s.files.list); err != nil {
		return err
	}
	s.leases = readLeases(s.root, s.log)
	return nil
}

// target returns what a fault may change during one command. The caller closes its Live.
func (s *Supervisor) target() (*faults.Target, error) {
	live, err := s.files.live()
	if err != nil {
		return nil, err
	}
	return &faults.Target{Live: live, Files: s.files, Database: s.database, Process: s.process}, nil
}

// lock waits until no other command changes the chaos target.
func (s *Supervisor) lock(ctx context.Context) (done func(), err error) {
	select {
	case s.turn <- struct{}{}:
		return func() { <-s.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// snapshotEvery is the interval of snapshots, and firstSnapshot the interval of attempts until there is one.
const (
	snapshotEvery = 10 * time.Second
	firstSnapshot = 500 * time.Millisecond
)

// Run reverts an expired fault, starts the replica, and watches the lease and takes snapshots until ctx ends.
// Then it stops the replica. A dead replica is restarted only on command.
func (s *Supervisor) Run(ctx context.Context) error {
	if err := s.runToEnd(ctx, s.begin); err != nil {
		s.log.ErrorContext(ctx, "supervisor: the chaos target did not start", "error", err)
	}
	var watches sync.WaitGroup
	watches.Go(func() { s.watchLease(ctx) })
	watches.Go(func() { s.takeSnapshots(ctx) })
	watches.Wait()
	return s.process.stop()
}

// begin starts the replica unless reverting an expired fault did so. A failed revert is retried later.
func (s *Supervisor) begin(ctx context.Context) error {
	if err := s.revertExpired(ctx); err != nil {
		s.log.ErrorContext(ctx, "supervisor: a fault could not be reverted and is retried", "error", err)
	}
	done, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer done()
	if s.process.Alive() {
		return nil
	}
	return s.process.Restart(ctx)
}

func (s *Supervisor) takeSnapshots(ctx context.Context) {
	pause, logged := time.Duration(0), ""
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(pause):
		}
		err := s.database.Snapshot(ctx)
		switch {
		case err == nil:
			pause, logged = snapshotEvery, ""
		case ctx.Err() == nil && err.Error() != logged: // once for repeated errors
			logged = err.Error()
			s.log.WarnContext(ctx, "supervisor: no snapshot was taken", "error", err)
		}
		pause = max(pause, firstSnapshot)
	}
}
