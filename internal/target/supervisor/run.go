package supervisor

import (
	"context"
	"sync"
	"time"
)

// How often a snapshot is taken, and how soon it is tried again until there is a first one.
const (
	snapshotEvery = 10 * time.Second
	firstSnapshot = 500 * time.Millisecond
)

// Run takes back what is overdue, starts the replica, and watches over the lease and the
// snapshots until ctx ends. Then it stops the replica. A replica that dies stays dead until
// somebody orders a restart.
func (k *Keeper) Run(ctx context.Context) error {
	if err := k.carryOut(ctx, k.begin); err != nil {
		k.log.ErrorContext(ctx, "keeper: the cell does not begin well", "error", err)
	}
	var watches sync.WaitGroup
	watches.Go(func() { k.watchLease(ctx) })
	watches.Go(func() { k.takeSnapshots(ctx) })
	watches.Wait()
	return k.process.stop()
}

// begin starts the replica, if the taking back did not. That a fault cannot be taken back keeps
// nobody from it: it is tried again.
func (k *Keeper) begin(ctx context.Context) error {
	if err := k.revertOverdue(ctx); err != nil {
		k.log.ErrorContext(ctx, "keeper: a fault could not be taken back, it is tried again", "error", err)
	}
	done, err := k.takeTurn(ctx)
	if err != nil {
		return err
	}
	defer done()
	if k.process.Alive() {
		return nil
	}
	return k.process.Restart(ctx)
}

func (k *Keeper) takeSnapshots(ctx context.Context) {
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
			k.log.WarnContext(ctx, "keeper: no snapshot was taken", "error", err)
		}
		pause = max(pause, firstSnapshot)
	}
}
