package experiments

import (
	"context"
	"time"

	"customerzero/internal/domain/experiment"
)

// Store is the lab. *store.Experiments implements it. Experiments are named by their slug, by
// their number or by their ID, where key stands.
type Store interface {
	Experiments(ctx context.Context, q experiment.Query) ([]experiment.Listed, int, error)
	ExperimentTotals(ctx context.Context) (experiment.Totals, error)
	Experiment(ctx context.Context, key string) (experiment.Listed, error)
	ExperimentNamed(ctx context.Context, key string) (experiment.Experiment, error) // without what is counted
	LabNotes(ctx context.Context, id string) ([]experiment.Note, error)             // the newest day first
	VotesOf(ctx context.Context, memberID string) (map[string]int, error)
	// SubmitExperiment counts it for whom; a refusal uses nothing up.
	SubmitExperiment(ctx context.Context, e experiment.Experiment, whom string) (experiment.Experiment, error)
	EditExperiment(ctx context.Context, id string, version int, edit experiment.Edit, at time.Time) (experiment.Experiment, error)
	MoveExperiment(ctx context.Context, id string, version int, to experiment.Status, reason string, at time.Time) (experiment.Experiment, error)
	// RegisterMetric with nil takes the registration back.
	RegisterMetric(ctx context.Context, id string, version int, r *experiment.Registration, at time.Time) (experiment.Experiment, error)
	CastVote(ctx context.Context, id, memberID string, value int, at time.Time) (experiment.VoteCounts, error)
	WithdrawVote(ctx context.Context, id, memberID string, at time.Time) (experiment.VoteCounts, error)
	// WriteNote writes a day's note anew with version 0, or over the one of that version.
	WriteNote(ctx context.Context, n experiment.Note, version int, at time.Time) (experiment.Note, error)
	DeleteNote(ctx context.Context, id, date string, version int, at time.Time) error
	// ReadMetric reads a metric from since until then.
	ReadMetric(ctx context.Context, metric experiment.Metric, since, until time.Time) (experiment.Reading, error)
}

// ExperimentFlows carries experiments. *client.Client implements it.
type ExperimentFlows interface {
	// NotifyExperiment starts the flow of an experiment that became active, or tells the one there
	// is that its row has changed. Safe to repeat.
	NotifyExperiment(ctx context.Context, experimentID string) error
}
