package activities

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"time"

	"go.temporal.io/sdk/activity"

	"customerzero/internal/domain/account"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

// Chaos holds the activities of chaos runs, of their cleanup, and of game days.
type Chaos struct {
	Store    ChaosStore
	Target   TargetClient
	Runs     ChaosRuns
	Replayer Replayer
	Faults   []chaos.Fault // a game day picks one of them
	Lease    time.Duration // of game day runs; chaos.DefaultLease if 0
	Now      func() time.Time
}

// ChaosStore stores runs and their probes. *store.Chaos implements it.
type ChaosStore interface {
	RequestChaos(ctx context.Context, r chaos.Run, asker account.Asker) error
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

// TargetClient probes and breaks the chaos target. *probe.Prober implements it.
type TargetClient interface {
	Probe(ctx context.Context) target.Sample
	Break(ctx context.Context, fault string, order target.Break) (target.Broken, error)
	EndLease(ctx context.Context, runID string) error
}

// ChaosRef identifies a stored run; its row holds the fault.
type ChaosRef struct{ ChaosID string }

// BeginChaosRunResult is what the workflow needs to know of a run.
type BeginChaosRunResult struct{ LeaseMS int }

// BeginChaosRun stores the workflow run.
func (a *Chaos) BeginChaosRun(ctx context.Context, in ChaosRef) (BeginChaosRunResult, error) {
	execution := activity.GetInfo(ctx).WorkflowExecution
	run, err := a.Store.BeginChaos(ctx, in.ChaosID, execution.ID, execution.RunID)
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

// InjectFault makes the supervisor break the chaos target, once the watch has started: without probes
// the repair could not be timed. Safe to repeat: the supervisor breaks once per run.
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

// allowed checks the switch again just before the fault is injected.
func (a *Chaos) allowed(ctx context.Context) error {
	seen, err := a.Store.TargetState(ctx)
	if err == nil && !seen.ChaosOn {
		err = problem.New(problem.ChaosOff, "The founders have switched chaos testing off.")
	}
	return err
}

// watchPoll is how often the start of the watch is polled.
const watchPoll = 20 * time.Millisecond

// awaitWatch returns when the watch has stored its first probe.
func (a *Chaos) awaitWatch(ctx context.Context, id string) error {
	return poll(ctx, watchPoll, func() (bool, error) {
		parts, err := a.Store.ChaosParts(ctx, id)
		return len(parts) > 0 && parts[len(parts)-1].Part >= partsPerAttempt, err
	})
}

// EndLease reverts the fault, unless that has happened. Safe to repeat.
func (a *Chaos) EndLease(ctx context.Context, in ChaosRef) (Done, error) {
	return Done{}, a.Target.EndLease(ctx, in.ChaosID)
}

// lastProbeWithin is how long the last probe waits for the chaos target to be healthy: its process may
// be starting.
const lastProbeWithin = 5 * time.Second

// FinishChaosRunInput identifies a run to end.
type FinishChaosRunInput struct {
	ChaosID string
	Aborted string // reason, as a sentence
}

// FinishChaosRunResult is the outcome of a run.
type FinishChaosRunResult struct {
	Verdict          chaos.Verdict
	DetectMS, HealMS *int
}

// FinishChaosRun probes a last time and ends the run with the verdict of its stored probes. Safe to
// repeat: the first end is kept.
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
	if end.Last, err = a.lastProbe(ctx); err != nil {
		return FinishChaosRunResult{}, err
	}
	run, err = a.Store.EndChaos(ctx, in.ChaosID, chaos.Judge(run, samples, end), a.Now())
	return finished(run), err
}

func finished(r chaos.Run) FinishChaosRunResult {
	return FinishChaosRunResult{Verdict: r.Verdict, DetectMS: r.DetectMS, HealMS: r.HealMS}
}

// ending derives from the probes how a run ended. If the watch ended before the chaos target was healthy
// and before the lease was over, the rest was lost.
func ending(r chaos.Run, samples []target.Sample) (e chaos.Ending) {
	if r.InjectedAt == nil {
		return e
	}
	if chaos.Recovered(*r.InjectedAt, samples) {
		if unwatched(*r.InjectedAt, samples) {
			e.Lost = "No probe ran when the fault was injected."
		}
		return e
	}
	last := slices.MaxFunc(append([]target.Sample{{}}, samples...), func(a, b target.Sample) int { return a.At.Compare(b.At) })
	e.LeaseOver = r.LeaseUntil != nil && !last.At.Before(*r.LeaseUntil) && !last.Healthy()
	e.Lost = "The probes stopped before the test ended."
	return e
}

// unwatched reports whether no probe failed since the injection, but the first came so late that a
// failure may have been missed.
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

// lastProbe returns the first healthy probe, or the last unhealthy one.
func (a *Chaos) lastProbe(ctx context.Context) (last target.Sample, err error) {
	until := a.Now().Add(lastProbeWithin)
	err = poll(ctx, target.ProbeEvery, func() (bool, error) {
		last = a.Target.Probe(ctx)
		return ctx.Err() == nil && (last.Healthy() || !a.Now().Before(until)), nil
	})
	return last, err
}

// ChaosRuns terminates workflow runs. *client.Client implements it.
type ChaosRuns interface {
	// TerminateChaos terminates the run. It returns no error if the run has ended.
	TerminateChaos(ctx context.Context, runID string) error
}

const (
	// endsItself is how long an overdue run gets to end by itself: its worker may have just restarted.
	endsItself = 5 * time.Second
	sweepPoll  = 200 * time.Millisecond
)

// StopChaosRunResult reports whether a workflow run existed.
type StopChaosRunResult struct {
	Begun bool
}

// StopChaosRun makes sure that no workflow run is left for a chaos run. Safe to repeat.
func (a *Chaos) StopChaosRun(ctx context.Context, in ChaosRef) (StopChaosRunResult, error) {
	var run chaos.Run
	until := a.Now().Add(endsItself)
	err := poll(ctx, sweepPoll, func() (_ bool, err error) {
		run, err = a.Store.ChaosRun(ctx, in.ChaosID)
		return run.Stage == chaos.Ended || run.RunID == "" || !a.Now().Before(until), err
	})
	result := StopChaosRunResult{Begun: run.RunID != ""}
	if err != nil || run.Stage == chaos.Ended || !result.Begun {
		return result, err
	}
	return result, a.Runs.TerminateChaos(ctx, run.RunID)
}

// gameDaySource is the source of game day runs.
const gameDaySource = "game-day"

// RequestRandomFault requests a run with a random fault. Its ID is the workflow run ID, so that a repeat
// does not request a second one.
func (a *Chaos) RequestRandomFault(ctx context.Context, _ NoInput) (ChaosRef, error) {
	id := activity.GetInfo(ctx).WorkflowExecution.RunID
	if len(a.Faults) == 0 {
		return ChaosRef{}, problem.New(problem.FaultUnknown, "No faults are configured, so no test was started.")
	}
	fault := a.Faults[rand.IntN(len(a.Faults))]
	refused := a.Store.RequestChaos(ctx, chaos.Run{
		ID: id, Fault: fault.Name, Source: gameDaySource, RequestedBy: chaos.Schedule,
		PromiseMS: int(fault.Promise.Milliseconds()), LeaseMS: int(cmp.Or(a.Lease, chaos.DefaultLease).Milliseconds()), RequestedAt: a.Now(),
	}, account.Asker{})
	if _, ok := errors.AsType[*problem.Error](refused); ok {
		if _, err := a.Store.ChaosRun(ctx, id); err == nil {
			return ChaosRef{ChaosID: id}, nil // already requested; the answer was lost
		}
	}
	return ChaosRef{ChaosID: id}, refused
}

// Replayer replays stored histories with the current code. *worker.Replayer implements it.
type Replayer interface {
	Replay(ctx context.Context, workflowID, runID string) (chaos.HistoryCheck, error)
}

// HistoryRef identifies a run of any workflow.
type HistoryRef struct{ WorkflowID, RunID string }

// CheckHistory replays a stored history and stores the result. A failed replay is a result, not an
// error.
func (a *Chaos) CheckHistory(ctx context.Context, in HistoryRef) (chaos.HistoryCheck, error) {
	check, err := a.Replayer.Replay(ctx, in.WorkflowID, in.RunID)
	if err != nil {
		return chaos.HistoryCheck{}, err
	}
	return check, a.Store.SaveHistoryCheck(ctx, check)
}
