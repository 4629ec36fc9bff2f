package activities

import (
	"context"

	"customerzero/internal/domain/chaos"
)

// HistoryCheck holds the activity that replays what was stored.
type HistoryCheck struct {
	Store    HistoryCheckStore
	Replayer Replayer
}

// HistoryCheckStore keeps what checks came to. *store.Chaos implements it.
type HistoryCheckStore interface {
	SaveHistoryCheck(ctx context.Context, c chaos.HistoryCheck) error
}

// Replayer replays stored histories with today's code. *worker.Replayer implements it.
type Replayer interface {
	Replay(ctx context.Context, workflowID, runID string) (chaos.HistoryCheck, error)
}

// HistoryRef names a run of any workflow.
type HistoryRef struct{ WorkflowID, RunID string }

// CheckHistory replays a stored history and writes down what came of it. That it does not
// replay is a result, and no failure.
func (a *HistoryCheck) CheckHistory(ctx context.Context, in HistoryRef) (chaos.HistoryCheck, error) {
	check, err := a.Replayer.Replay(ctx, in.WorkflowID, in.RunID)
	if err != nil {
		return chaos.HistoryCheck{}, err
	}
	return check, a.Store.SaveHistoryCheck(ctx, check)
}
