package supervisor

import (
	"context"
	"time"

	"customerzero/internal/domain/problem"
	"customerzero/internal/target/faults"
)

// How often the supervisor looks at the lease, and how soon it tries again to take a fault back.
const (
	leaseTick  = 100 * time.Millisecond
	retryAfter = time.Second
)

// EndLease takes the fault of a run back. The lease of another run is no business of it.
func (k *Supervisor) EndLease(ctx context.Context, run string) error {
	done, err := k.takeTurn(ctx)
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

// revertOverdue takes back a fault whose lease is over, by the supervisor's own clock.
func (k *Supervisor) revertOverdue(ctx context.Context) error {
	if held := k.leases.current(); held == nil || !held.over(time.Now()) {
		return nil
	}
	done, err := k.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer done()
	held := k.leases.current()
	if held == nil || !held.over(time.Now()) {
		return nil
	}
	k.log.WarnContext(ctx, "keeper: a lease is over, its fault is taken back", "run", held.RunID, "fault", held.Fault)
	return k.revert(ctx, held)
}

// revert mends the fault and lets go of its lease. After a failure the lease is over, so that
// the supervisor goes on trying.
func (k *Supervisor) revert(ctx context.Context, held *lease) error {
	target, err := k.reverting()
	if err == nil {
		defer func() { _ = target.Live.Close() }()
		err = revertible(held.Fault).Revert(ctx, target)
	}
	if err == nil {
		err = k.leases.end()
	}
	if err != nil {
		k.expireNow()
	}
	return err
}

// revertible is the fault of a lease. Of one that nobody knows any more, all is mended.
func revertible(name string) faults.Fault {
	if known, ok := faults.Named(name); ok {
		return known
	}
	all := faults.All()
	return all[len(all)-1]
}

// reverting is the target of a mending, which must do without the folder of files if need be.
func (k *Supervisor) reverting() (*faults.Target, error) {
	if err := asFolder(k.root, liveFolder); err != nil {
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
		if err := k.carryOut(ctx, k.revertOverdue); err != nil && ctx.Err() == nil {
			failed = time.Now()
			k.log.ErrorContext(ctx, "keeper: a fault could not be taken back, it is tried again", "error", err)
		}
	}
}

// orderTime bounds an order. It is longer than a restore of the database with a start takes.
const orderTime = 15 * time.Second

// carryOut runs an order to its end, also when whoever gave it does not wait for it: half a
// mending helps nobody.
func (k *Supervisor) carryOut(ctx context.Context, order func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), orderTime)
	defer cancel()
	return order(ctx)
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
	done, err := k.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer done()
	return k.files.Restore(ctx, names...)
}

// RestoreDatabase puts the last good snapshot in place and starts the replica anew. Orders that
// came while another was carried out are carried out with it.
func (k *Supervisor) RestoreDatabase(ctx context.Context) error {
	seen := k.database.round()
	done, err := k.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer done()
	if k.database.round() > seen && k.process.Alive() && k.database.Sound(ctx) == nil {
		return nil
	}
	return k.database.Restore(ctx)
}

// Restart starts the replica anew. Orders that came while another was carried out are carried
// out with it.
func (k *Supervisor) Restart(ctx context.Context) error {
	seen := k.process.round()
	done, err := k.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer done()
	if k.process.round() > seen && k.process.Alive() {
		return nil
	}
	return k.process.Restart(ctx)
}
