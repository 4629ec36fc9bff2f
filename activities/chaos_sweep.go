package activities

import (
	"context"
	"time"

	"customerzero/internal/domain/chaos"
)

// ChaosSweep holds the activities that end runs which do not end themselves.
type ChaosSweep struct {
	Store ChaosSweepStore
	Runs  ChaosSweepRuns
	Now   func() time.Time
}

// ChaosSweepStore knows how runs stand. *store.Chaos implements it.
type ChaosSweepStore interface {
	ChaosRun(ctx context.Context, id string) (chaos.Run, error)
}

// ChaosSweepRuns ends what carries a run. *client.Client implements it.
type ChaosSweepRuns interface {
	// EndChaosFlow ends it by force. It is no failure when it has ended.
	TerminateChaos(ctx context.Context, runID string) error
}

const (
	// endsItself is how long a run that is overdue gets to end itself: its worker may have
	// come back just now.
	endsItself = 5 * time.Second
	sweepLooks = 200 * time.Millisecond
)

// ReleaseChaosResult says how a run was left.
type StopChaosRunResult struct {
	Begun bool // something carried it
}

// ReleaseChaos makes sure that nothing carries a run any more. Safe to repeat.
func (a *ChaosSweep) StopChaosRun(ctx context.Context, in ChaosRef) (StopChaosRunResult, error) {
	var run chaos.Run
	var failed error
	until := a.Now().Add(endsItself)
	err := each(ctx, sweepLooks, func() bool {
		run, failed = a.Store.ChaosRun(ctx, in.ChaosID)
		return failed != nil || run.Stage == chaos.Ended || run.RunID == "" || !a.Now().Before(until)
	})
	if failed != nil {
		err = failed
	}
	result := StopChaosRunResult{Begun: run.RunID != ""}
	if err != nil || run.Stage == chaos.Ended || !result.Begun {
		return result, err
	}
	return result, a.Runs.TerminateChaos(ctx, run.RunID)
}
