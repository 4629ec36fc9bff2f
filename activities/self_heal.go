package activities

import (
	"context"
	"errors"
	"log/slog"
	"strconv"
	"time"

	"go.temporal.io/sdk/activity"

	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/problem"
	"customerzero/internal/domain/target"
)

// SelfHeal holds the activities of the healer. It sees only probes, not whether a fault was injected.
type SelfHeal struct {
	Store  HealStore
	Target HealClient
	Now    func() time.Time
}

// HealStore stores the healer's observations and repairs. *store.Chaos implements it.
type HealStore interface {
	SaveTargetState(ctx context.Context, seen heal.Observation) error
	SaveManifest(ctx context.Context, signed target.Signed) error
	OpenIncident(ctx context.Context) (*heal.Incident, error) // nil if none
	BeginIncident(ctx context.Context, i heal.Incident) (heal.Incident, error)
	NoteIncident(ctx context.Context, id string, failing target.Failing, steps []heal.Repair) error
	RaiseAlarm(ctx context.Context, id, alarm string, at time.Time) error
	EndIncident(ctx context.Context, id string, at time.Time) error
}

// HealClient is the part of the chaos target that the healer uses. *probe.Prober implements it.
type HealClient interface {
	Probe(ctx context.Context) target.Sample
	Inspect(ctx context.Context) (target.Inspection, error)
	Manifest(ctx context.Context) (target.Signed, error)
	RestoreFiles(ctx context.Context, names []string) error
	RestoreDatabase(ctx context.Context) error
	Restart(ctx context.Context) error
}

// IncidentRef identifies an incident; empty if there is none.
type IncidentRef struct{ IncidentID string }

// FindOpenIncident returns the incident that an earlier run left open.
func (a *SelfHeal) FindOpenIncident(ctx context.Context, _ NoInput) (IncidentRef, error) {
	open, err := a.Store.OpenIncident(ctx)
	if err != nil || open == nil {
		return IncidentRef{}, err
	}
	return IncidentRef{IncidentID: open.ID}, nil
}

// BeginIncidentInput is the result of a watch.
type BeginIncidentInput struct {
	Failing     target.Failing
	Since       time.Time // the first probe that failed
	UnhealthyAt time.Time // the probe that made the target unhealthy
}

// BeginIncident opens an incident, or returns the open one. Its ID is derived from its time, so a repeat
// opens no second one.
func (a *SelfHeal) BeginIncident(ctx context.Context, in BeginIncidentInput) (IncidentRef, error) {
	execution := activity.GetInfo(ctx).WorkflowExecution
	incident, err := a.Store.BeginIncident(ctx, heal.Incident{
		ID: "inc" + strconv.FormatInt(in.UnhealthyAt.UnixMilli(), 36), Failing: in.Failing,
		WorkflowID: execution.ID, RunID: execution.RunID, OpenedAt: in.Since, UnhealthyAt: in.UnhealthyAt,
	})
	return IncidentRef{IncidentID: incident.ID}, err
}

type UpdateIncidentInput struct {
	IncidentID string
	Failing    target.Failing
	Steps      []heal.Repair
}

// UpdateIncident adds the checks that failed since the last update, and the repairs made.
func (a *SelfHeal) UpdateIncident(ctx context.Context, in UpdateIncidentInput) (Done, error) {
	return Done{}, a.Store.NoteIncident(ctx, in.IncidentID, in.Failing, in.Steps)
}

type RaiseAlarmInput struct {
	IncidentID string
	Failing    target.Failing
}

// RaiseAlarm notifies the founders. Safe to repeat: an incident raises one alarm.
func (a *SelfHeal) RaiseAlarm(ctx context.Context, in RaiseAlarmInput) (Done, error) {
	open, err := a.Store.OpenIncident(ctx)
	if err != nil || open == nil || open.ID != in.IncidentID {
		return Done{}, err
	}
	return Done{}, a.Store.RaiseAlarm(ctx, in.IncidentID, heal.Alarm(in.Failing, open.Steps), a.Now())
}

type EndIncidentInput struct {
	IncidentID string
	At         time.Time // the first healthy probe
}

// EndIncident closes an incident. Safe to repeat.
func (a *SelfHeal) EndIncident(ctx context.Context, in EndIncidentInput) (Done, error) {
	return Done{}, a.Store.EndIncident(ctx, in.IncidentID, in.At)
}

type RepairTargetInput struct{ Step heal.Step }

// RepairTarget carries out one repair step, once. A failed repair is a result, because the next round
// decides by what fails then. Every step is safe to repeat.
func (a *SelfHeal) RepairTarget(ctx context.Context, in RepairTargetInput) (heal.Repair, error) {
	began := a.Now()
	err := a.carryOut(ctx, in.Step)
	repair := heal.Repair{Kind: in.Step.Kind, Files: in.Step.Files, At: began, MS: int(a.Now().Sub(began).Milliseconds())}
	if err != nil {
		slog.WarnContext(ctx, "could not repair the chaos target", "step", in.Step.Kind, "error", err)
		repair.Error = "The supervisor did not confirm the repair."
		if refused, ok := errors.AsType[*problem.Error](err); ok {
			repair.Error = refused.Message
		}
	}
	return repair, nil
}

func (a *SelfHeal) carryOut(ctx context.Context, step heal.Step) error {
	switch step.Kind {
	case heal.RestoreFiles:
		return a.Target.RestoreFiles(ctx, step.Files)
	case heal.RestoreDatabase:
		return a.Target.RestoreDatabase(ctx)
	case heal.Restart:
		return a.Target.Restart(ctx)
	}
	return problem.New(problem.Internal, "Unknown repair action.")
}

const (
	// watchFor is how long one watch takes while the target is healthy.
	watchFor = 10 * time.Minute
	// reportEvery is how often an unchanged state is stored.
	reportEvery = 5 * time.Second
	// manifestEvery is how often a failed read of the manifest is retried.
	manifestEvery = 10 * time.Second
	// healthyProbes is how many consecutive healthy probes end an incident.
	healthyProbes = 2
)

// WatchHealthResult reports whether the chaos target is unhealthy, and since when.
type WatchHealthResult struct {
	Unhealthy   bool
	Failing     target.Failing
	Since       time.Time
	UnhealthyAt time.Time
}

// WatchHealth probes the chaos target until it is unhealthy, or for watchFor. It starts without earlier
// probes, so that it decides only by its own consecutive ones.
func (a *SelfHeal) WatchHealth(ctx context.Context, _ NoInput) (WatchHealthResult, error) {
	var pulse heal.Pulse
	v := &monitor{SelfHeal: a}
	until := a.Now().Add(watchFor)
	err := poll(ctx, target.ProbeEvery, func() (bool, error) {
		sample, seen := v.probe(ctx)
		if seen {
			pulse = pulse.Beat(sample)
			v.saveManifest(ctx, sample)
		}
		return pulse.Unhealthy() || !a.Now().Before(until), nil
	})
	if err != nil && !errors.Is(err, errStopping) { // a stopping worker returns its result; another one continues
		return WatchHealthResult{}, err
	}
	result := WatchHealthResult{Unhealthy: pulse.Unhealthy()}
	if result.Unhealthy {
		result.Failing = pulse.Last[0] | pulse.Last[1] | pulse.Last[2]
		result.Since, result.UnhealthyAt = pulse.Since(), pulse.At[0]
	}
	return result, nil
}

type RecheckTargetInput struct{ For time.Duration }

// RecheckTargetResult is the state of the chaos target after a repair.
type RecheckTargetResult struct {
	Failing   target.Failing // in any probe
	Last      target.Failing
	HealthyAt time.Time // zero if it is unhealthy
}

// RecheckTarget probes the chaos target until it is healthy, for a limited time.
func (a *SelfHeal) RecheckTarget(ctx context.Context, in RecheckTargetInput) (RecheckTargetResult, error) {
	var result RecheckTargetResult
	var healthy []time.Time
	v := &monitor{SelfHeal: a}
	until := a.Now().Add(in.For)
	err := poll(ctx, target.ProbeEvery, func() (bool, error) {
		sample, seen := v.probe(ctx)
		if !seen {
			return false, nil
		}
		result.Failing, result.Last = result.Failing|sample.Failing, sample.Failing
		healthy = append(healthy, sample.At)
		if !sample.Healthy() {
			healthy = nil
		}
		return len(healthy) == healthyProbes || len(healthy) == 0 && !a.Now().Before(until), nil
	})
	if len(healthy) == healthyProbes {
		result.HealthyAt = healthy[0]
	}
	return result, err
}

// monitor probes the chaos target and keeps what it has reported.
type monitor struct {
	*SelfHeal
	reported    heal.Observation
	hasManifest bool
	triedAt     time.Time // last read of the manifest
}

// probe makes one probe and reports it. An interrupted probe proves nothing and is not reported.
func (v *monitor) probe(ctx context.Context) (s target.Sample, seen bool) {
	s = v.Target.Probe(ctx)
	if ctx.Err() != nil {
		return s, false
	}
	activity.RecordHeartbeat(ctx)
	v.report(ctx, s)
	return s, true
}

// report stores the state of the chaos target when it has changed or is old. Healing does not depend on
// it.
func (v *monitor) report(ctx context.Context, s target.Sample) {
	changed := s.Failing != v.reported.Failing || s.Process != v.reported.Process
	if !changed && s.At.Sub(v.reported.At) < reportEvery {
		return
	}
	seen := heal.Observation{At: s.At, Failing: s.Failing, Process: s.Process, StartedAt: v.reported.StartedAt}
	if s.Process != v.reported.Process {
		seen.StartedAt = v.startOf(ctx, s)
	}
	if err := v.Store.SaveTargetState(ctx, seen); err != nil {
		slog.WarnContext(ctx, "could not store the state of the chaos target", "error", err)
		return
	}
	v.reported = seen
}

// startOf reads when the process was started. It does not inspect an unhealthy chaos target, whose
// repair must not wait.
func (v *monitor) startOf(ctx context.Context, s target.Sample) *time.Time {
	if s.Process == 0 || !s.Healthy() {
		return nil
	}
	inspection, err := v.Target.Inspect(ctx)
	if err != nil || inspection.Process.ID != s.Process {
		return nil
	}
	return &inspection.Process.StartedAt
}

// saveManifest stores which files a chaos target should have.
func (v *monitor) saveManifest(ctx context.Context, s target.Sample) {
	if v.hasManifest || !s.Healthy() || s.At.Sub(v.triedAt) < manifestEvery {
		return
	}
	v.triedAt = s.At
	signed, err := v.Target.Manifest(ctx)
	if err == nil {
		err = v.Store.SaveManifest(ctx, signed)
	}
	if err != nil {
		slog.WarnContext(ctx, "could not store the chaos target's manifest; it is read again later", "error", err)
		return
	}
	v.hasManifest = true
}
