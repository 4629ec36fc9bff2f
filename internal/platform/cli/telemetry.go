package cli

import (
	"context"
	"log/slog"

	"customerzero/internal/platform/config"
	"customerzero/internal/platform/telemetry"
	"customerzero/worker"
)

// endless flows are not traced: one is always under way, and its trace would never end.
var endless = []string{"SelfHeal", "Canary"}

// trace lets this process tell its collector what it does, until the function that it gives is
// called. Without a collector, or with one that cannot be used, everything else works.
func trace(ctx context.Context, cfg config.Config, process string) (stop func()) {
	stop, err := telemetry.Start(ctx, telemetry.Options{
		Endpoint: cfg.OTLPEndpoint, Share: cfg.TraceShare, Service: "customerzero-" + process, Version: worker.Build(), Quiet: endless,
	})
	if err != nil {
		slog.Warn("nothing is traced", "error", err)
		return func() {}
	}
	return stop
}
