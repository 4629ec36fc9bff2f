package activities

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

// Chaos holds the activities of chaos runs, of what ends those that do not end themselves, and of game
// days.
type Chaos struct {
	Store    ChaosStore
	Target   TargetClient
	Runs     ChaosRuns
	Replayer Replayer
	Faults   []chaos.Fault // of which a game day picks one
	Lease    time.Duration // of its run; 0: chaos.DefaultLease
	Now      func() time.Time
}

// ChaosStore keeps runs and what their probes saw. *store.Chaos implements it.
type ChaosStore interface {
	RequestChaos(ctx context.Context, r chaos.Run, visitor string) error
	ChaosRun(ctx context.Context, id string) (chaos.Run, error)
	BeginChaos(ctx context.Context, id, workflowID, runID string) (chaos.Run, error)
	LeaseChaos(ctx context.Context, id string, until time.Time) error
	InjectedChaos(ctx context.Context, id string, at, until time.Time) error
	EndChaos(ctx context.Context, id string, o chaos.Outcome, at time.Time) (chaos.Run, error)
	SaveProbes(ctx context.Context, p chaos.Part) error
	ChaosParts(ctx context.Context, id string) ([]chaos.Part, error)
	TargetState(ctx context.Context) (heal.TargetState, error)
	SaveHistoryCheck(ctx context.Context, c chaos.HistoryCheck) error
}

// TargetClient is the chaos target as those see it who break it. *prober.Prober implements it.
type TargetClient interface {
	Probe(ctx context.Context) target.Sample
	Break(ctx context.Context, fault string, order target.Break) (target.Broken, error)
	EndLease(ctx context.Context, runID string) error
}

// ChaosRef names a run whose row is written. What is broken stays there.
type ChaosRef struct{ ChaosID string }

// BeginChaosRunResult is what the flow needs to know of a run.
type BeginChaosRunResult struct{ LeaseMS int }

// BeginChaosRun notes which workflow carries the run.
func (a *Chaos) BeginChaosRun(ctx context.Context, in ChaosRef) (BeginChaosRunResult, error) {
	carrier := activity.GetInfo(ctx).WorkflowExecution
	run, err := a.Store.BeginChaos(ctx, in.ChaosID, carrier.ID, carrier.RunID)
	return BeginChaosRunResult{LeaseMS: run.LeaseMS}, err
}

type GrantLeaseInput struct {
	ChaosID string
	Until   time.Time
}

// GrantLease stores until when the fault may stay. It runs before the fault is injected.
func (a *Chaos) GrantLease(ctx context.Context, in GrantLeaseInput) (Done, error) {
	return Done{}, a.Store.LeaseChaos(ctx, in.ChaosID, in.Until)
}

// InjectFault tells the supervisor to break the chaos target, but only while somebody looks on: a heal that
// no probe could have seen would have no time. Safe to repeat: the supervisor breaks once a run.
func (a *Chaos) InjectFault(ctx context.Context, in ChaosRef) (Done, error) {
	run, err := a.Store.ChaosRun(ctx, in.ChaosID)
	if err != nil {
		return Done{}, err
	}
	if err := a.awaitWatch(ctx, in.ChaosID); err != nil {
		return Done{}, err
	}
	if err := a.allowed(ctx); err != nil {
		return Done{}, err
	}
	broken, err := a.Target.Break(ctx, run.Fault, target.Break{RunID: run.ID, LeaseMS: int64(run.LeaseMS)})
	if err != nil {
		return Done{}, err
	}
	return Done{}, a.Store.InjectedChaos(ctx, in.ChaosID, broken.At, broken.Until)
}

// allowed is asked just before something is broken, too: the switch may have been thrown since.
func (a *Chaos) allowed(ctx context.Context) error {
	seen, err := a.Store.TargetState(ctx)
	if err == nil && !seen.ChaosOn {
		err = problem.New(problem.ChaosOff, "The founders have switched chaos testing off.")
	}
	return err
}

// watchBegins is how often it is looked whether a watch has begun.
const watchBegins = 20 * time.Millisecond

// awaitWatch returns when the watch has stored its first probe.
func (a *Chaos) awaitWatch(ctx context.Context, id string) error {
	return each(ctx, watchBegins, func() (bool, error) {
		parts, err := a.Store.ChaosParts(ctx, id)
		return len(parts) > 0 && parts[len(parts)-1].Part >= partsOfATry, err
	})
}

// EndLease takes the fault back, if it is there still. Safe to repeat.
func (a *Chaos) EndLease(ctx context.Context, in ChaosRef) (Done, error) {
	return Done{}, a.Target.EndLease(ctx, in.ChaosID)
}

// lastLook is how long the last look waits for the chaos target to be well: its process may be starting.
const lastLook = 5 * time.Second

// FinishChaosRunInput names a run that is over.
type FinishChaosRunInput struct {
	ChaosID string
	Aborted string // why it was given up; a sentence
}

// FinishChaosRunResult is what the run came to.
type FinishChaosRunResult struct {
	Verdict          chaos.Verdict
	DetectMS, HealMS *int
}

// FinishChaosRun looks a last time and ends the run. What it came to, its stored probes say. Safe
// to repeat: the first end stays.
func (a *Chaos) FinishChaosRun(ctx context.Context, in FinishChaosRunInput) (FinishChaosRunResult, error) {
	run, err := a.Store.ChaosRun(ctx, in.ChaosID)
	if err != nil || run.Stage == chaos.Ended {
		return finished(run), err
	}
	parts, err := a.Store.ChaosParts(ctx, in.ChaosID)
	if err != nil {
		return FinishChaosRunResult{}, err
	}
	samples, err := chaos.Samples(parts)
	if err != nil {
		return FinishChaosRunResult{}, err
	}
	end := ending(run, samples)
	end.Aborted = in.Aborted
	if end.Last, err = a.lastLook(ctx); err != nil {
		return FinishChaosRunResult{}, err
	}
	run, err = a.Store.EndChaos(ctx, in.ChaosID, chaos.Judge(run, samples, end), a.Now())
	return finished(run), err
}

func finished(r chaos.Run) FinishChaosRunResult {
	return FinishChaosRunResult{Verdict: r.Verdict, DetectMS: r.DetectMS, HealMS: r.HealMS}
}

// ending says what can be told of a run's end from its probes. A watch that ended before the
// cell was well and before the lease was over has missed what came.
func ending(r chaos.Run, samples []target.Sample) (e chaos.Ending) {
	if r.InjectedAt == nil {
		return e
	}
	if chaos.Recovered(*r.InjectedAt, samples) {
		if unwatched(*r.InjectedAt, samples) {
			e.Lost = "Nobody watched when it was broken."
		}
		return e
	}
	last := slices.MaxFunc(append([]target.Sample{{}}, samples...), func(a, b target.Sample) int { return a.At.Compare(b.At) })
	e.LeaseOver = r.LeaseUntil != nil && !last.At.Before(*r.LeaseUntil) && !last.Healthy()
	e.Lost = "Nobody watched it until its end."
	return e
}

// unwatched says whether nothing failed since, but nobody looked for so long that it might have.
func unwatched(injected time.Time, samples []target.Sample) bool {
	first := injected.Add(chaos.Unseen)
	for _, s := range samples {
		if s.At.Before(injected) {
			continue
		}
		if !s.Healthy() || s.At.Before(first) {
			return false
		}
	}
	return true
}

// lastLook gives the first probe that is well, or the last that is not.
func (a *Chaos) lastLook(ctx context.Context) (last target.Sample, err error) {
	until := a.Now().Add(lastLook)
	err = each(ctx, target.ProbeEvery, func() (bool, error) {
		last = a.Target.Probe(ctx)
		return ctx.Err() == nil && (last.Healthy() || !a.Now().Before(until)), nil
	})
	return last, err
}

// ChaosRuns ends what carries a run. *client.Client implements it.
type ChaosRuns interface {
	// TerminateChaos ends it by force. It is no failure when it has ended.
	TerminateChaos(ctx context.Context, runID string) error
}

const (
	// endsItself is how long a run that is overdue gets to end itself: its worker may have
	// come back just now.
	endsItself = 5 * time.Second
	sweepLooks = 200 * time.Millisecond
)

// StopChaosRunResult says how a run was left.
type StopChaosRunResult struct {
	Begun bool // something carried it
}

// StopChaosRun makes sure that nothing carries a run any more. Safe to repeat.
func (a *Chaos) StopChaosRun(ctx context.Context, in ChaosRef) (StopChaosRunResult, error) {
	var run chaos.Run
	until := a.Now().Add(endsItself)
	err := each(ctx, sweepLooks, func() (_ bool, err error) {
		run, err = a.Store.ChaosRun(ctx, in.ChaosID)
		return run.Stage == chaos.Ended || run.RunID == "" || !a.Now().Before(until), err
	})
	result := StopChaosRunResult{Begun: run.RunID != ""}
	if err != nil || run.Stage == chaos.Ended || !result.Begun {
		return result, err
	}
	return result, a.Runs.TerminateChaos(ctx, run.RunID)
}

// gameDaySource is where the runs of the game day are asked for.
const gameDaySource = "game-day"

// RequestRandomFault asks for a run with a fault that nobody chose. The run has the name of the
// workflow run that asks, so a repeat asks for no second one.
func (a *Chaos) RequestRandomFault(ctx context.Context, _ NoInput) (ChaosRef, error) {
	id := activity.GetInfo(ctx).WorkflowExecution.RunID
	if len(a.Faults) == 0 {
		return ChaosRef{}, problem.New(problem.FaultUnknown, "There is nothing that could be broken.")
	}
	fault := a.Faults[rand.IntN(len(a.Faults))]
	refused := a.Store.RequestChaos(ctx, chaos.Run{
		ID: id, Fault: fault.Name, Source: gameDaySource, RequestedBy: chaos.Schedule,
		PromiseMS: int(fault.Promise.Milliseconds()), LeaseMS: int(cmp.Or(a.Lease, chaos.DefaultLease).Milliseconds()), RequestedAt: a.Now(),
	}, "")
	if _, ok := errors.AsType[*problem.Error](refused); ok {
		if _, err := a.Store.ChaosRun(ctx, id); err == nil {
			return ChaosRef{ChaosID: id}, nil // ours: the answer was lost
		}
	}
	return ChaosRef{ChaosID: id}, refused
}

// Replayer replays stored histories with today's code. *worker.Replayer implements it.
type Replayer interface {
	Replay(ctx context.Context, workflowID, runID string) (chaos.HistoryCheck, error)
}

// HistoryRef names a run of any workflow.
type HistoryRef struct{ WorkflowID, RunID string }

// CheckHistory replays a stored history and writes down what came of it. That it does not
// replay is a result, and no failure.
func (a *Chaos) CheckHistory(ctx context.Context, in HistoryRef) (chaos.HistoryCheck, error) {
	check, err := a.Replayer.Replay(ctx, in.WorkflowID, in.RunID)
	if err != nil {
		return chaos.HistoryCheck{}, err
	}
	return check, a.Store.SaveHistoryCheck(ctx, check)
}
