package activities

import (
	"context"
	"fmt"

	"customerzero/internal/cell"
	"customerzero/internal/chaos"
)

// baseline is how many probes must be well before something is broken.
const baseline = 3

// CheckCellResult says why the cell is not to be broken now; empty: it may be.
type CheckCellResult struct{ Unfit string }

// CheckCell looks whether the cell is well enough to be broken. What it sees is kept: it is the
// first part of the run's probes.
func (a *Chaos) CheckCell(ctx context.Context, in ChaosRef) (CheckCellResult, error) {
	var samples []cell.Sample
	var failing cell.Failing
	err := each(ctx, cell.ProbeEvery, func() bool {
		sample := a.Cell.Probe(ctx)
		samples, failing = append(samples, sample), failing|sample.Failing
		return len(samples) == baseline
	})
	if err == nil {
		err = ctx.Err() // the last probe may have been cut short
	}
	if err != nil {
		return CheckCellResult{}, err
	}
	part := chaos.Part{RunID: in.ChaosID, Data: chaos.Encode(samples[0].At, samples)}
	if err := a.Book.SaveProbes(ctx, part); err != nil {
		return CheckCellResult{}, err
	}
	if failing.Any() {
		return CheckCellResult{Unfit: fmt.Sprintf("The cell was not well before the start. These failed their checks: %s.", failing.InWords())}, nil
	}
	return CheckCellResult{}, nil
}
