package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// lockPoll is how often a lock that is held is tried again. It bounds what waiting for a
// predecessor adds to a start.
const lockPoll = 10 * time.Millisecond

// lockFile makes the database's folder and takes its lock, waiting for a predecessor that is
// still stopping. SQLite would let two servers share the file, and Temporal would not
// notice until histories contradict each other. The kernel frees the lock with the process.
func lockFile(ctx context.Context, dbFile string, wait time.Duration) (*os.File, error) {
	dir := filepath.Dir(dbFile)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("cannot make the folder of the database: %w", err)
	}
	lock, err := os.OpenFile(dbFile+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("cannot write to the folder of the database: %w", err)
	}
	if err := take(ctx, lock, wait); err != nil {
		err = fmt.Errorf("%s is used by another server%s: %w", dbFile, holder(lock), err)
		return nil, errors.Join(err, lock.Close())
	}
	return lock, sign(lock)
}

func take(ctx context.Context, lock *os.File, wait time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, fmt.Errorf("still locked after %v", wait))
	defer cancel()
	retry := time.NewTicker(lockPoll)
	defer retry.Stop()
	for {
		err := unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB)
		if err == nil || !errors.Is(err, unix.EWOULDBLOCK) {
			return err
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-retry.C:
		}
	}
}

// sign leaves the process number in the lock file, for the message of whoever is refused.
func sign(lock *os.File) error {
	if err := lock.Truncate(0); err != nil {
		return fmt.Errorf("cannot write to the folder of the database: %w", err)
	}
	_, err := lock.WriteAt(fmt.Appendf(nil, "%d\n", os.Getpid()), 0)
	return err
}

func holder(lock *os.File) string {
	text, err := io.ReadAll(io.LimitReader(lock, 20))
	if pid := strings.TrimSpace(string(text)); err == nil && pid != "" {
		return " (process " + pid + ")"
	}
	return ""
}
