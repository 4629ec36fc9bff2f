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

// SelfHeal holds the activities of the healer. It knows probes only: who broke something, and
// whether anybody did, it is not told.
type SelfHeal struct {
	Store  HealStore
	Target HealClient
	Now    func() time.Time
}

// HealStore keeps what the healer saw and did. *store.Chaos implements it.
type HealStore interface {
	SaveTargetState(ctx context.Context, seen heal.Observation) error
	SaveManifest(ctx context.Context, signed target.Signed) error
	OpenIncident(ctx context.Context) (*heal.Incident, error) // nil: none
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

// IncidentRef names an incident; empty: there is none.
type IncidentRef struct{ IncidentID string }

// FindOpenIncident names the incident that an earlier run left open.
func (a *SelfHeal) FindOpenIncident(ctx context.Context, _ NoInput) (IncidentRef, error) {
	open, err := a.Store.OpenIncident(ctx)
	if err != nil || open == nil {
		return IncidentRef{}, err
	}
	return IncidentRef{IncidentID: open.ID}, nil
}

// BeginIncidentInput is what a watch found.
type BeginIncidentInput struct {
	Failing     target.Failing
	Since       time.Time // the first probe that failed
	UnhealthyAt time.Time // the one that made it sick
}

// BeginIncident opens an incident, or gives the one that is open. Its name comes from its
// time, so a repeat opens no second one.
func (a *SelfHeal) BeginIncident(ctx context.Context, in BeginIncidentInput) (IncidentRef, error) {
	carrier := activity.GetInfo(ctx).WorkflowExecution
	incident, err := a.Store.BeginIncident(ctx, heal.Incident{
		ID: "inc" + strconv.FormatInt(in.UnhealthyAt.UnixMilli(), 36), Failing: in.Failing,
		WorkflowID: carrier.ID, RunID: carrier.RunID, OpenedAt: in.Since, UnhealthyAt: in.UnhealthyAt,
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

// RaiseAlarm calls people. Safe to repeat: an incident calls once.
func (a *SelfHeal) RaiseAlarm(ctx context.Context, in RaiseAlarmInput) (Done, error) {
	open, err := a.Store.OpenIncident(ctx)
	if err != nil || open == nil || open.ID != in.IncidentID {
		return Done{}, err
	}
	return Done{}, a.Store.RaiseAlarm(ctx, in.IncidentID, heal.Alarm(in.Failing, open.Steps), a.Now())
}

type EndIncidentInput struct {
	IncidentID string
	At         time.Time // the first probe that was well
}

// EndIncident closes an incident. Safe to repeat.
func (a *SelfHeal) EndIncident(ctx context.Context, in EndIncidentInput) (Done, error) {
	return Done{}, a.Store.EndIncident(ctx, in.IncidentID, in.At)
}

type RepairTargetInput struct{ Step heal.Step }

// RepairTarget carries out one step, once. That it could not be done is a result, too: the next
// round looks at what fails then. Every order is safe to repeat.
func (a *SelfHeal) RepairTarget(ctx context.Context, in RepairTargetInput) (heal.Repair, error) {
	began := a.Now()
	err := a.carryOut(ctx, in.Step)
	mended := heal.Repair{Kind: in.Step.Kind, Files: in.Step.Files, At: began, MS: int(a.Now().Sub(began).Milliseconds())}
	if err != nil {
		slog.WarnContext(ctx, "the chaos target could not be mended", "step", in.Step.Kind, "error", err)
		mended.Error = "The supervisor gave no clear answer."
		if refused, ok := errors.AsType[*problem.Error](err); ok {
			mended.Error = refused.Message
		}
	}
	return mended, nil
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
	return problem.New(problem.Internal, "Nobody knows how to do that.")
}

const (
	// watchFor is how long one watch takes when all is well.
	watchFor = 10 * time.Minute
	// tellEvery is how old what pages know of a chaos target may be that stays as it is.
	tellEvery = 5 * time.Second
	// manifestEvery is how often a manifest is asked for that could not be had.
	manifestEvery = 10 * time.Second
	// wellAgain is how many probes in a row end an incident.
	wellAgain = 2
)

// WatchHealthResult says whether the chaos target is sick, and since when.
type WatchHealthResult struct {
	Unhealthy   bool
	Failing     target.Failing
	Since       time.Time
	UnhealthyAt time.Time
}

// WatchHealth probes the chaos target until it is sick, or a while has passed. It begins without a
// memory: two misses are always two probes of its own, made one after the other.
func (a *SelfHeal) WatchHealth(ctx context.Context, _ NoInput) (WatchHealthResult, error) {
	var pulse heal.Pulse
	v := &visit{SelfHeal: a}
	until := a.Now().Add(watchFor)
	err := each(ctx, target.ProbeEvery, func() (bool, error) {
		sample, seen := v.probe(ctx)
		if seen {
			pulse = pulse.Beat(sample)
			v.keepManifest(ctx, sample)
		}
		return pulse.Unhealthy() || !a.Now().Before(until), nil
	})
	if err != nil && !errors.Is(err, errStopping) { // who stops says what there is: the flow goes on elsewhere
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

// RecheckTargetResult says how the chaos target is after it was mended.
type RecheckTargetResult struct {
	Failing   target.Failing // meanwhile
	Last      target.Failing
	HealthyAt time.Time // zero: it is not well
}

// RecheckTarget probes the chaos target until it is well, for a while.
func (a *SelfHeal) RecheckTarget(ctx context.Context, in RecheckTargetInput) (RecheckTargetResult, error) {
	var result RecheckTargetResult
	var well []time.Time
	v := &visit{SelfHeal: a}
	until := a.Now().Add(in.For)
	err := each(ctx, target.ProbeEvery, func() (bool, error) {
		sample, seen := v.probe(ctx)
		if !seen {
			return false, nil
		}
		result.Failing, result.Last = result.Failing|sample.Failing, sample.Failing
		well = append(well, sample.At)
		if !sample.Healthy() {
			well = nil
		}
		return len(well) == wellAgain || len(well) == 0 && !a.Now().Before(until), nil
	})
	if len(well) == wellAgain {
		result.HealthyAt = well[0]
	}
	return result, err
}

// visit is one stay at the chaos target, and remembers what it has told of it.
type visit struct {
	*SelfHeal
	told        heal.Observation
	hasManifest bool
	askedAt     time.Time // for the manifest
}

// probe makes one probe and tells of it. An answer that nobody waited for is no sign of trouble.
func (v *visit) probe(ctx context.Context) (s target.Sample, seen bool) {
	s = v.Target.Probe(ctx)
	if ctx.Err() != nil {
		return s, false
	}
	activity.RecordHeartbeat(ctx)
	v.tell(ctx, s)
	return s, true
}

// tell writes down how the chaos target is, when that has changed or was long ago. Healing does not
// depend on it.
func (v *visit) tell(ctx context.Context, s target.Sample) {
	changed := s.Failing != v.told.Failing || s.Process != v.told.Process
	if !changed && s.At.Sub(v.told.At) < tellEvery {
		return
	}
	seen := heal.Observation{At: s.At, Failing: s.Failing, Process: s.Process, StartedAt: v.told.StartedAt}
	if s.Process != v.told.Process {
		seen.StartedAt = v.startOf(ctx, s)
	}
	if err := v.Store.SaveTargetState(ctx, seen); err != nil {
		slog.WarnContext(ctx, "what was seen of the chaos target could not be written down", "error", err)
		return
	}
	v.told = seen
}

// startOf asks when the process was started. An unhealthy chaos target is not asked: its healing waits.
func (v *visit) startOf(ctx context.Context, s target.Sample) *time.Time {
	if s.Process == 0 || !s.Healthy() {
		return nil
	}
	inspection, err := v.Target.Inspect(ctx)
	if err != nil || inspection.Process.ID != s.Process {
		return nil
	}
	return &inspection.Process.StartedAt
}

// keepManifest writes down what the files of a chaos target should be.
func (v *visit) keepManifest(ctx context.Context, s target.Sample) {
	if v.hasManifest || !s.Healthy() || s.At.Sub(v.askedAt) < manifestEvery {
		return
	}
	v.askedAt = s.At
	signed, err := v.Target.Manifest(ctx)
	if err == nil {
		err = v.Store.SaveManifest(ctx, signed)
	}
	if err != nil {
		slog.WarnContext(ctx, "the chaos target's manifest could not be kept; it is asked for again", "error", err)
		return
	}
	v.hasManifest = true
}
