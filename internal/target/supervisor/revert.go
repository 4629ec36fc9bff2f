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
func (k *Supervisor) EndLease(ctx context.Context, run string) error {
	done, err := k.lock(ctx)
	if err != nil {
		return err
	}
	defer done()
	held := k.leases.current()
	if held == nil || held.RunID != run {
		return nil
	}
	return k.revert(ctx, held)
}

// revertExpired reverts the fault of an expired lease, by the supervisor's clock.
func (k *Supervisor) revertExpired(ctx context.Context) error {
	if held := k.leases.current(); held == nil || !held.over(time.Now()) {
		return nil
	}
	done, err := k.lock(ctx)
	if err != nil {
		return err
	}
	defer done()
	held := k.leases.current()
	if held == nil || !held.over(time.Now()) {
		return nil
	}
	k.log.WarnContext(ctx, "supervisor: a lease is over, its fault is reverted", "run", held.RunID, "fault", held.Fault)
	return k.revert(ctx, held)
}

// revert reverts the fault and ends its lease. On failure it expires the lease, so that the supervisor retries.
func (k *Supervisor) revert(ctx context.Context, held *lease) error {
	target, err := k.reverting()
	if err == nil {
		defer func() { _ = target.Live.Close() }()
		err = faultOf(held.Fault).Revert(ctx, target)
	}
	if err == nil {
		err = k.leases.end()
	}
	if err != nil {
		k.expireNow()
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
func (k *Supervisor) reverting() (*faults.Target, error) {
	if err := ensureDir(k.root, liveFolder); err != nil {
		return nil, err
	}
	return k.target()
}

func (k *Supervisor) expireNow() {
	held := *k.leases.current()
	if now := time.Now().UTC(); !held.over(now) {
		held.Until = now
	}
	k.leases.remember(&held)
}

// watchLease reverts expired leases until ctx ends.
func (k *Supervisor) watchLease(ctx context.Context) {
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
		if err := k.runToEnd(ctx, k.revertExpired); err != nil && ctx.Err() == nil {
			failed = time.Now()
			k.log.ErrorContext(ctx, "supervisor: a fault could not be reverted and is retried", "error", err)
		}
	}
}

// commandTimeout limits a command. It exceeds a restore of the database with a restart.
const commandTimeout = 15 * time.Second

// runToEnd runs a command to its end even if the caller disconnects, because a partial repair is worse.
func (k *Supervisor) runToEnd(ctx context.Context, command func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandTimeout)
	defer cancel()
	return command(ctx)
}

// RestoreFiles restores critical files from the golden copy. Without names, it restores all that differ.
func (k *Supervisor) RestoreFiles(ctx context.Context, names []string) error {
	for _, name := range names {
		if _, known := k.files.golden[name]; !known {
			return problem.New(problem.Invalid, "There is no critical file of that name.")
		}
	}
	if len(names) == 0 {
		names = k.files.names()
	}
	done, err := k.lock(ctx)
	if err != nil {
		return err
	}
	defer done()
	return k.files.Restore(ctx, names...)
}

// RestoreDatabase restores the last good snapshot and restarts the replica. Concurrent commands share one restore.
func (k *Supervisor) RestoreDatabase(ctx context.Context) error {
	seen := k.database.round()
	done, err := k.lock(ctx)
	if err != nil {
		return err
	}
	defer done()
	if k.database.round() > seen && k.process.Alive() && k.database.Sound(ctx) == nil {
		return nil
	}
	return k.database.Restore(ctx)
}

// Restart restarts the replica. Concurrent commands share one restart.
func (k *Supervisor) Restart(ctx context.Context) error {
	seen := k.process.round()
	done, err := k.lock(ctx)
	if err != nil {
		return err
	}
	defer done()
	if k.process.round() > seen && k.process.Alive() {
		return nil
	}
	return k.process.Restart(ctx)
}
