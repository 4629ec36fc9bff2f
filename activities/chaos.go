package activities

import (
	"context"
	"time"

	"go.temporal.io/sdk/activity"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

// Chaos holds the activities of chaos runs.
type Chaos struct {
	Book ChaosBook
	Cell Victim
	Now  func() time.Time
}

// ChaosBook keeps runs and what their probes saw. *store.Chaos implements it.
type ChaosBook interface {
	ChaosRun(ctx context.Context, id string) (chaos.Run, error)
	BeginChaos(ctx context.Context, id, workflowID, runID string) (chaos.Run, error)
	LeaseChaos(ctx context.Context, id string, until time.Time) error
	InjectedChaos(ctx context.Context, id string, at, until time.Time) error
	EndChaos(ctx context.Context, id string, o chaos.Outcome, at time.Time) (chaos.Run, error)
	SaveProbes(ctx context.Context, p chaos.Part) error
	ChaosParts(ctx context.Context, id string) ([]chaos.Part, error)
	Cell(ctx context.Context) (heal.Cell, error)
}

// Victim is the cell as those see it who break it. *prober.Prober implements it.
type Victim interface {
	Probe(ctx context.Context) target.Sample
	Break(ctx context.Context, fault string, order target.Break) (target.Broken, error)
	EndLease(ctx context.Context, runID string) error
}

// ChaosRef names a run whose row is written. What is broken stays there.
type ChaosRef struct{ ChaosID string }

// BeginChaosResult is what the flow needs to know of a run.
type BeginChaosResult struct{ LeaseMS int }

// BeginChaos notes which workflow carries the run.
func (a *Chaos) BeginChaos(ctx context.Context, in ChaosRef) (BeginChaosResult, error) {
	carrier := activity.GetInfo(ctx).WorkflowExecution
	run, err := a.Book.BeginChaos(ctx, in.ChaosID, carrier.ID, carrier.RunID)
	return BeginChaosResult{LeaseMS: run.LeaseMS}, err
}

type LeaseChaosInput struct {
	ChaosID string
	Until   time.Time
}

// LeaseChaos notes until when the fault may stay, before anybody is told to break something.
func (a *Chaos) LeaseChaos(ctx context.Context, in LeaseChaosInput) (Done, error) {
	return Done{}, a.Book.LeaseChaos(ctx, in.ChaosID, in.Until)
}

// BreakCell tells the keeper to break the cell, but only while somebody looks on: a heal that
// no probe could have seen would have no time. Safe to repeat: the keeper breaks once a run.
func (a *Chaos) BreakCell(ctx context.Context, in ChaosRef) (Done, error) {
	run, err := a.Book.ChaosRun(ctx, in.ChaosID)
	if err != nil {
		return Done{}, err
	}
	if err := a.awaitWatch(ctx, in.ChaosID); err != nil {
		return Done{}, err
	}
	if err := a.allowed(ctx); err != nil {
		return Done{}, err
	}
	broken, err := a.Cell.Break(ctx, run.Fault, target.Break{RunID: run.ID, LeaseMS: int64(run.LeaseMS)})
	if err != nil {
		return Done{}, err
	}
	return Done{}, a.Book.InjectedChaos(ctx, in.ChaosID, broken.At, broken.Until)
}

// allowed is asked just before something is broken, too: the switch may have been thrown since.
func (a *Chaos) allowed(ctx context.Context) error {
	seen, err := a.Book.Cell(ctx)
	if err == nil && !seen.ChaosOn {
		err = problem.New(problem.ChaosOff, "The founders have switched chaos off.")
	}
	return err
}

// watchBegins is how often it is looked whether a watch has begun.
const watchBegins = 20 * time.Millisecond

// awaitWatch returns when the watch has stored its first probe.
func (a *Chaos) awaitWatch(ctx context.Context, id string) error {
	var failed error
	err := each(ctx, watchBegins, func() bool {
		var parts []chaos.Part
		parts, failed = a.Book.ChaosParts(ctx, id)
		return failed != nil || len(parts) > 0 && parts[len(parts)-1].Part >= partsOfATry
	})
	if failed != nil {
		return failed
	}
	return err
}

// EndLease takes the fault back, if it is there still. Safe to repeat.
func (a *Chaos) EndLease(ctx context.Context, in ChaosRef) (Done, error) {
	return Done{}, a.Cell.EndLease(ctx, in.ChaosID)
}
