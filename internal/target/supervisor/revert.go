package supervisor

import (
	"context"
	"time"

	"customerzero/internal/domain/problem"
	"customerzero/internal/target/faults"
)

// Intervals of checking the lease, and of retrying a failed revert.
const (
	leaseTick  = 100 * time.Millisecond
	retryAfter = time.Second
)

// EndLease reverts the fault of a run. The lease of another run is left alone.
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

// revertExpired reverts a fault whose lease is over by the supervisor's own clock.
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

// revert reverts the fault and ends its lease. After a failure the lease is over, so that the
// supervisor retries.
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

// faultOf is the fault of a lease. For an unknown one, everything is reverted.
func faultOf(name string) faults.Fault {
	if known, ok := faults.Named(name); ok {
		return known
	}
	all := faults.All()
	return all[len(all)-1]
}

// reverting is the target of a revert, which must work even if the folder of files is gone.
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

// watchLease runs until ctx ends.
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

// commandTimeout bounds a command. It is longer than a restore of the database with a restart takes.
const commandTimeout = 15 * time.Second

// runToEnd runs a command to its end even if its caller is gone: half a repair helps no one.
func (k *Supervisor) runToEnd(ctx context.Context, command func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), commandTimeout)
	defer cancel()
	return command(ctx)
}

// RestoreFiles brings critical files back from the golden copy. No names: all that differ.
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

// RestoreDatabase puts the last good snapshot in place and restarts the replica. Orders that
// came while another was carried out are carried out with it.
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

// Restart restarts the replica. Commands that arrive while another one runs are done with it.
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
