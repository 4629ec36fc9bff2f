package worker

import (
	"context"
	"log/slog"
	"time"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
)

// ChaosRows is how the chaos target stands. *store.Chaos implements it.
type ChaosRows interface {
	OpenChaos(ctx context.Context) (*chaos.Run, error) // nil: none
	Cell(ctx context.Context) (heal.Cell, error)
}

// ChaosFlows starts and ends what breaks the chaos target and what heals it. *workflows.Client
// implements it.
type ChaosFlows interface {
	KeepHealing(ctx context.Context) error
	StartChaos(ctx context.Context, chaosID string) (runID string, err error)
	StopChaos(ctx context.Context) error
	CarriesChaos(ctx context.Context, runID string) (bool, error)
	SweepChaos(ctx context.Context, chaosID string) error
}

const (
	// healEvery is how long the chaos target is without a healer at most, if somebody ended it.
	healEvery = 10 * time.Second
	// begunByOthers is how long a chaos run has to get its flow from whoever wrote it down.
	begunByOthers = 2 * time.Second
	// worthBeginning is how long after somebody asked a run is still begun: they have left.
	worthBeginning = 20 * time.Second
	// longOver is how long after its lease a run has surely ended itself.
	longOver = 10 * time.Second
	// neverLeased is how long after it was asked for a run surely has a lease.
	neverLeased = time.Minute
)

// heal makes the healer work, if somebody ended it.
func (s *Dispatcher) heal(ctx context.Context) {
	if s.Cell == nil {
		return
	}
	if err := s.Cell.KeepHealing(ctx); err != nil {
		slog.WarnContext(ctx, "the healer could not be started; the next round tries again", "error", err)
	}
}

// sweepChaos looks after the chaos run that is open, if there is one.
func (s *Dispatcher) sweepChaos(ctx context.Context) {
	run, err := s.Chaos.OpenChaos(ctx)
	if err == nil && run != nil {
		err = s.tend(ctx, *run, time.Now())
	}
	if err != nil {
		slog.WarnContext(ctx, "the chaos run that is open could not be looked after", "error", err)
	}
}

func (s *Dispatcher) tend(ctx context.Context, r chaos.Run, now time.Time) error {
	switch {
	case r.RunID == "" && now.Sub(r.RequestedAt) < begunByOthers:
		return nil
	case r.RunID == "" && now.Sub(r.RequestedAt) < worthBeginning:
		_, err := s.Cell.StartChaos(ctx, r.ID)
		return err
	case r.RunID == "", overdue(r, now):
		return s.Cell.SweepChaos(ctx, r.ID)
	}
	carried, err := s.Cell.CarriesChaos(ctx, r.RunID)
	if err != nil {
		return err
	}
	if !carried {
		return s.Cell.SweepChaos(ctx, r.ID)
	}
	return s.stopSwitchedOff(ctx)
}

func overdue(r chaos.Run, now time.Time) bool {
	if r.LeaseUntil == nil {
		return now.Sub(r.RequestedAt) > neverLeased
	}
	return now.Sub(*r.LeaseUntil) > longOver
}

// stopSwitchedOff tells a run again that whoever threw the switch could not tell.
func (s *Dispatcher) stopSwitchedOff(ctx context.Context) error {
	seen, err := s.Chaos.Cell(ctx)
	if err != nil || seen.ChaosOn {
		return err
	}
	return s.Cell.StopChaos(ctx)
}
