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

// lease is a stored lease. InjectedAt is missing if the supervisor died before or during the injection.
type lease struct {
	target.Lease
	InjectedAt *time.Time `json:"injectedAt,omitempty"`
}

func (l *lease) broken() target.Broken { return target.Broken{At: *l.InjectedAt, Until: l.Until} }

func (l *lease) over(now time.Time) bool { return !now.Before(l.Until) }

// leases are the open lease and the last ended one. Callers hold the supervisor's lock to change them.
type leases struct {
	root *os.Root

	mu    sync.Mutex
	open  *lease
	ended *lease
}

// readLeases never fails: an unreadable lease may belong to an active fault, and counts as expired.
func readLeases(root *os.Root, log *slog.Logger) *leases {
	l := &leases{root: root}
	var err error
	if l.open, err = readLease(root, leaseFile); err != nil {
		log.Error("supervisor: the lease is unreadable; everything is repaired", "error", err)
		l.open = &lease{}
	}
	if l.ended, err = readLease(root, endedFile); err != nil {
		log.Error("supervisor: the last lease is unreadable", "error", err)
	}
	return l
}

// readLease returns nil if there is no lease.
func readLease(root *os.Root, name string) (*lease, error) {
	data, err := root.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil //nolint:nilnil // there is no lease
	}
	if err != nil {
		return nil, err
	}
	var l lease
	return &l, json.Unmarshal(data, &l)
}

// current returns the open lease, or nil.
func (l *leases) current() *lease {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.open
}

// last returns the last ended lease, or nil.
func (l *leases) last() *lease {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.ended
}

// hold stores a lease and makes it the open one.
func (l *leases) hold(held *lease) error {
	data, err := json.Marshal(held)
	if err != nil {
		return err
	}
	if err := confined.Replace(l.root, leaseFile, data, 0o600); err != nil {
		return err
	}
	l.setOpen(held)
	return nil
}

// setOpen makes a lease the open one without storing it.
func (l *leases) setOpen(held *lease) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open = held
}

// end closes the open lease and keeps it for repeated commands of its run.
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

// drop deletes the open lease, under which nothing was injected.
func (l *leases) drop() error {
	if err := confined.Remove(l.root, leaseFile); err != nil {
		return err
	}
	l.setOpen(nil)
	return nil
}
