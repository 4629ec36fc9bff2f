package worker

import (
	"context"
	"log/slog"
	"time"

	"customerzero/internal/domain/deletion"
)

// DepartureRows are the departures that have not ended. *store.Deletions implements it.
type DepartureRows interface {
	OpenDepartures(ctx context.Context) ([]deletion.Departure, error) // the oldest first
}

// DepartureFlows starts what carries them. *workflows.Client implements it.
type DepartureFlows interface {
	// Depart is safe to repeat: a flow that is under way stays.
	Depart(ctx context.Context, departureID string) (runID string, err error)
}

// sweepDepartures gives a flow to every departure that has none. With all, also to those whose
// flow may be lost: whoever asked waits to be forgotten.
func (s *Dispatcher) sweepDepartures(ctx context.Context, all bool) {
	if s.Departures == nil {
		return
	}
	open, err := s.Departures.OpenDepartures(ctx)
	if err != nil {
		slog.WarnContext(ctx, "departures that are open could not be listed", "error", err)
	}
	now := time.Now()
	for _, d := range open {
		if !all && (d.RunID != "" || now.Sub(d.RequestedAt) < begunByOthers) {
			continue
		}
		if _, err := s.DeletionRuns.Depart(ctx, d.ID); err != nil {
			slog.WarnContext(ctx, "a departure's flow could not be started", "departure_id", d.ID, "error", err)
			return
		}
	}
}
