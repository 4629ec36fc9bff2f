package worker

import (
	"context"
	"log/slog"
	"time"

	"customerzero/internal/domain/experiment"
)

// ExperimentRows are the experiments that need a run: those that are active or testing, and
// those that have ended and whose votes are not counted. *store.Experiments implements it.
type ExperimentRows interface {
	OpenExperiments(ctx context.Context) ([]experiment.Experiment, error)
}

// ExperimentFlows carries them. *workflows.Client implements it.
type ExperimentFlows interface {
	// CarryExperiment is safe to repeat: a run that is under way stays, and is told nothing.
	CarryExperiment(ctx context.Context, experimentID string) error
	// NotifyExperiment tells the run that its row has changed.
	NotifyExperiment(ctx context.Context, experimentID string) error
}

// carryEvery is how long an experiment is without a run at most, if somebody ended it, and how
// long its run may not know that the experiment has ended.
const carryEvery = time.Minute

// sweepExperiments gives a run to experiments that never had one. With all it looks after every
// open one.
func (s *Dispatcher) sweepExperiments(ctx context.Context, all bool) {
	if s.Experiments == nil {
		return
	}
	open, err := s.Experiments.OpenExperiments(ctx)
	if err != nil {
		slog.WarnContext(ctx, "experiments that are open could not be listed", "error", err)
	}
	now := time.Now()
	for _, e := range open {
		if !all && (e.RunID != "" || now.Sub(e.UpdatedAt) < begunByOthers) {
			continue
		}
		if err := s.carry(ctx, e); err != nil {
			slog.WarnContext(ctx, "an experiment's flow could not be started", "experiment_id", e.ID, "error", err)
			return
		}
	}
}

// carry tells a run of the end only: every word of the others would stay in its history.
func (s *Dispatcher) carry(ctx context.Context, e experiment.Experiment) error {
	if err := s.ExperimentRuns.CarryExperiment(ctx, e.ID); err != nil || e.EndedAt == nil {
		return err
	}
	return s.ExperimentRuns.NotifyExperiment(ctx, e.ID)
}
