package activities

import (
	"context"
	"fmt"
	"time"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/target"
)

const (
	// baseline is how many probes in a row must be well before something is broken.
	baseline = 3
	// getsFit is how long that may take: a cell that is being restarted is back in a moment.
	getsFit = 3 * time.Second
)

// CheckCellResult says why the cell is not to be broken now; empty: it may be.
type CheckCellResult struct{ Unfit string }

// CheckCell looks whether the cell is well enough to be broken, or gets so in a moment. What it sees is kept: it is the
// first part of the run's probes.
func (a *Chaos) CheckCell(ctx context.Context, in ChaosRef) (CheckCellResult, error) {
	var samples []target.Sample
	well, until := 0, a.Now().Add(getsFit)
	err := each(ctx, target.ProbeEvery, func() bool {
		sample := a.Cell.Probe(ctx)
		if samples, well = append(samples, sample), well+1; !sample.Healthy() {
			well = 0
		}
		return well == baseline || well == 0 && !a.Now().Before(until) // slow probes that are healthy count
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
	if well < baseline {
		return CheckCellResult{Unfit: fmt.Sprintf("The cell was not well before the start. These failed their checks: %s.", failed(samples).InWords())}, nil
	}
	return CheckCellResult{}, nil
}

// failed are the checks that any of the last probes failed which could have been the baseline.
func failed(samples []target.Sample) (failing target.Failing) {
	for _, sample := range samples[max(0, len(samples)-baseline):] {
		failing |= sample.Failing
	}
	return failing
}
