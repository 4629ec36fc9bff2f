package supervisor

import (
	"context"
	"time"

	"customerzero/internal/domain/problem"
	"customerzero/internal/target/faults"
)

// leaseTick is the interval of lease checks, and retryAfter the wait after a failed revert.
const (
	leaseTick  = 100 * time.Millisecond
	retryAfter = time.Second
)

// EndLease reverts the fault of a run. It ignores other runs' leases.
func (s *Supervisor) EndLease(ctx context.Context, run string) error {
	done, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer done()
	held := s.leases.current()
	if held == nil || held.RunID != run {
		return nil
	}
	return s.revert(ctx, held)
}

// revertExpired reverts the fault of an expired lease, by the supervisor's clock.
func (s *Supervisor) revertExpired(ctx context.Context) error {
	if held := s.leases.current(); held == nil || !held.over(time.Now()) {
		return nil
	}
	done, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer done()
	held := s.leases.current()
	if held == nil || !held.over(time.Now()) {
		return nil
	}
	s.log.WarnContext(ctx, "supervisor: a lease is over, its fault is reverted", "run", held.RunID, "fault", held.Fault)
	return s.revert(ctx, held)
}

// revert reverts the fault and ends its lease. On failure it expires the lease, so that the supervisor retries.
func (s *Supervisor) revert(ctx context.Context, held *lease) error {
	target, err := s.reverting()
	if err == nil {
		defer func() { _ = target.Live.Close() }()
		err = faultOf(held.Fault).Revert(ctx, target)
	}
	if err == nil {
		err = s.leases.end()
	}
	if err != nil {
		s.expireNow()
	}
	return err
}

// faultOf returns the fault of a lease, or the nuclear option for an unknown one.
func faultOf(name string) faults.Fault {
	if known, ok := faults.Named(name); ok {
		return known
	}
	all := faults.All()
	return all[len(all)-1]
}

// reverting returns the target of a revert, and restores the folder of files if it is missing.
func (s *Supervisor) reverting() (*faults.Target, error) {
	if err := ensureDir(s.root, liveFolder); err != nil {
		return nil, err
	}
	return s.target()
}

func (s *Supervisor) expireNow() {
	held := *s.leases.current()
	if now := time.Now().UTC(); !held.over(now) {
		held.Until = now
	}
	s.leases.setOpen(&held)
}

// watchLease reverts expired leases until ctx ends.
func (s *Supervisor) watchLease(ctx context.Context) {
	tick := time.NewTicker(leaseTick)
	defer tick.Stop()
	var failed time.Time
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if time.Since(failed) < retryAfter {
			continue
		}
		if err := s.runToEnd(ctx, s.revertExpired); err != nil && ctx.Err() == nil {
			failed = time.Now()
			s.log.ErrorContext(ctx, "supervisor: a fault could not be reverted and is retried", "error", err)
		}
	}
}

// commandTimeout limits a command. It exceeds a restore of the database with a restart.
const commandTimeout = 15 * time.Second

// runToEnd runs a command to its end even if the caller disconnects, because a partial repair is worse.
func (s *Supervisor) runToEnd(ctx context.Context, command func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandTimeout)
	defer cancel()
	return command(ctx)
}

// RestoreFiles restores critical files from the golden copy. Without names, it restores all that differ.
func (s *Supervisor) RestoreFiles(ctx context.Context, names []string) error {
	for _, name := range names {
		if _, known := s.files.golden[name]; !known {
			return problem.New(problem.Invalid, "There is no critical file of that name.")
		}
	}
	if len(names) == 0 {
		names = s.files.names()
	}
	done, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer done()
	return s.files.Restore(ctx, names...)
}

// RestoreDatabase restores the last good snapshot and restarts the replica. Concurrent commands share one
// restore.
func (s *Supervisor) RestoreDatabase(ctx context.Context) error {
	seen := s.database.round()
	done, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer done()
	if s.database.round() > seen && s.process.Alive() && s.database.Sound(ctx) == nil {
		return nil
	}
	return s.database.Restore(ctx)
}

// Restart restarts the replica. Concurrent commands share one restart.
func (s *Supervisor) Restart(ctx context.Context) error {
	seen := s.process.round()
	done, err := s.lock(ctx)
	if err != nil {
		return err
	}
	defer done()
	if s.process.round() > seen && s.process.Alive() {
		return nil
	}
	return s.process.Restart(ctx)
}
