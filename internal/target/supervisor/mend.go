package supervisor

import (
	"context"
	"time"

	"customerzero/internal/domain/problem"
)

// orderTime bounds an order. It is longer than a restore of the database with a start takes.
const orderTime = 15 * time.Second

// carryOut runs an order to its end, also when whoever gave it does not wait for it: half a
// mending helps nobody.
func (k *Keeper) carryOut(ctx context.Context, order func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), orderTime)
	defer cancel()
	return order(ctx)
}

// RestoreFiles brings critical files back from the golden copy. No names: all that differ.
func (k *Keeper) RestoreFiles(ctx context.Context, names []string) error {
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
func (k *Keeper) RestoreDatabase(ctx context.Context) error {
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
func (k *Keeper) Restart(ctx context.Context) error {
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
