package supervisor

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"sync"
	"time"

	"customerzero/internal/domain/target"
	"customerzero/internal/platform/confined"
)

const (
	leaseFile = "lease.json"
	endedFile = "lease.ended.json"
)

// lease is one as it is kept. InjectedAt is missing when the supervisor died before it had broken
// the thing, or while it did.
type lease struct {
	target.Lease
	InjectedAt *time.Time `json:"injectedAt,omitempty"`
}

func (l *lease) broken() target.Broken { return target.Broken{At: *l.InjectedAt, Until: l.Until} }

func (l *lease) over(now time.Time) bool { return !now.Before(l.Until) }

// leases are the one that is open and the last that ended. Whoever changes them has the turn.
type leases struct {
	root *os.Root

	mu    sync.Mutex
	open  *lease
	ended *lease
}

// readLeases never fails: what cannot be read may be a fault that is still there, and counts as
// a lease that is over.
func readLeases(root *os.Root, log *slog.Logger) *leases {
	l := &leases{root: root}
	var err error
	if l.open, err = readLease(root, leaseFile); err != nil {
		log.Error("supervisor: the lease cannot be read: everything is repaired", "error", err)
		l.open = &lease{}
	}
	if l.ended, err = readLease(root, endedFile); err != nil {
		log.Error("supervisor: the last lease cannot be read", "error", err)
	}
	return l
}

// readLease is nil, without an error, when there is none.
func readLease(root *os.Root, name string) (*lease, error) {
	data, err := root.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // there is none
	}
	if err != nil {
		return nil, err
	}
	var l lease
	return &l, json.Unmarshal(data, &l)
}

// current is the open lease, or nil.
func (l *leases) current() *lease {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open
}

// last is the lease that ended last, or nil.
func (l *leases) last() *lease {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

// hold writes a lease down and makes it the open one.
func (l *leases) hold(held *lease) error {
	data, err := json.Marshal(held)
	if err != nil {
		return err
	}
	if err := confined.Replace(l.root, leaseFile, data, 0o600); err != nil {
		return err
	}
	l.remember(held)
	return nil
}

// remember makes a lease the open one, on paper or not.
func (l *leases) remember(held *lease) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = held
}

// end lets go of the open lease. It is kept aside, as its run may ask again.
func (l *leases) end() error {
	err := l.root.Rename(leaseFile, endedFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open, l.ended = nil, l.open
	return nil
}

// drop forgets the open lease: nothing was broken under it.
func (l *leases) drop() error {
	if err := confined.Remove(l.root, leaseFile); err != nil {
		return err
	}
	l.remember(nil)
	return nil
}
