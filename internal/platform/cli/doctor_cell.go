package cli

import (
	"context"
	"fmt"
	"time"

	"customerzero/internal/domain/target"
	"customerzero/internal/platform/config"
)

// examineCell says whether the cell answers. That it is broken is no trouble of ours: it is
// there for that, and heals itself.
func examineCell(ctx context.Context, cfg config.Config) finding {
	const name = "the cell"
	prober := newProber(cfg)
	if prober == nil {
		return finding{name, well, "there is none: chaos is off (customerzero up has one; else start customerzero cell, and set CHAOS_TARGET_KEY for the worker)"}
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if _, err := prober.Inspect(ctx); err != nil {
		return finding{name, ill, err.Error() + "; start customerzero cell or up, or correct CHAOS_TARGET_CONTROL_URL"}
	}
	sample := prober.Probe(ctx)
	switch failing := sample.Failing; {
	case sample.Healthy():
		return finding{name, well, fmt.Sprintf("all %d checks are well, process %d", len(target.Checks()), sample.Process)}
	case failing.Has(target.CheckProcess):
		return finding{name, well, "its keeper answers, its process is dead: the healer, which customerzero worker runs, starts it"}
	default:
		return finding{name, well, fmt.Sprintf("its keeper answers, %d checks fail: %v", failing.Count(), failing.Checks())}
	}
}
