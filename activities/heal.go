package activities

import (
	"context"
	"strconv"
	"time"

	"go.temporal.io/sdk/activity"

	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/target"
)

// SelfHeal holds the activities of the healer. It knows probes only: who broke something, and
// whether anybody did, it is not told.
type SelfHeal struct {
	Book HealBook
	Cell Patient
	Now  func() time.Time
}

// HealBook keeps what the healer saw and did. *store.Chaos implements it.
type HealBook interface {
	SawCell(ctx context.Context, seen heal.Seen) error
	SaveManifest(ctx context.Context, signed target.Signed) error
	OpenIncident(ctx context.Context) (*heal.Incident, error) // nil: none
	BeginIncident(ctx context.Context, i heal.Incident) (heal.Incident, error)
	NoteIncident(ctx context.Context, id string, failing target.Failing, steps []heal.Mended) error
	RaiseAlarm(ctx context.Context, id, alarm string, at time.Time) error
	EndIncident(ctx context.Context, id string, at time.Time) error
}

// Patient is the cell as those see it who mend it. *prober.Prober implements it.
type Patient interface {
	Probe(ctx context.Context) target.Sample
	Inspect(ctx context.Context) (target.Inspection, error)
	Manifest(ctx context.Context) (target.Signed, error)
	RestoreFiles(ctx context.Context, names []string) error
	RestoreDatabase(ctx context.Context) error
	Restart(ctx context.Context) error
}

type OpenIncidentInput struct{}

// IncidentRef names an incident; empty: there is none.
type IncidentRef struct{ IncidentID string }

// OpenIncident names the incident that an earlier run left open.
func (a *SelfHeal) OpenIncident(ctx context.Context, _ OpenIncidentInput) (IncidentRef, error) {
	open, err := a.Book.OpenIncident(ctx)
	if err != nil || open == nil {
		return IncidentRef{}, err
	}
	return IncidentRef{IncidentID: open.ID}, nil
}

// BeginIncidentInput is what a watch found.
type BeginIncidentInput struct {
	Failing target.Failing
	Since   time.Time // the first probe that failed
	SickAt  time.Time // the one that made it sick
}

// BeginIncident opens an incident, or gives the one that is open. Its name comes from its
// time, so a repeat opens no second one.
func (a *SelfHeal) BeginIncident(ctx context.Context, in BeginIncidentInput) (IncidentRef, error) {
	carrier := activity.GetInfo(ctx).WorkflowExecution
	incident, err := a.Book.BeginIncident(ctx, heal.Incident{
		ID: "inc" + strconv.FormatInt(in.SickAt.UnixMilli(), 36), Failing: in.Failing,
		WorkflowID: carrier.ID, RunID: carrier.RunID, OpenedAt: in.Since, SickAt: in.SickAt,
	})
	return IncidentRef{IncidentID: incident.ID}, err
}

type NoteIncidentInput struct {
	IncidentID string
	Failing    target.Failing
	Steps      []heal.Mended
}

// NoteIncident adds what failed meanwhile, and what was done.
func (a *SelfHeal) NoteIncident(ctx context.Context, in NoteIncidentInput) (Done, error) {
	return Done{}, a.Book.NoteIncident(ctx, in.IncidentID, in.Failing, in.Steps)
}

type RaiseAlarmInput struct {
	IncidentID string
	Failing    target.Failing
}

// RaiseAlarm calls people. Safe to repeat: an incident calls once.
func (a *SelfHeal) RaiseAlarm(ctx context.Context, in RaiseAlarmInput) (Done, error) {
	open, err := a.Book.OpenIncident(ctx)
	if err != nil || open == nil || open.ID != in.IncidentID {
		return Done{}, err
	}
	return Done{}, a.Book.RaiseAlarm(ctx, in.IncidentID, heal.Alarm(in.Failing, open.Steps), a.Now())
}

type EndIncidentInput struct {
	IncidentID string
	At         time.Time // the first probe that was well
}

// EndIncident closes an incident. Safe to repeat.
func (a *SelfHeal) EndIncident(ctx context.Context, in EndIncidentInput) (Done, error) {
	return Done{}, a.Book.EndIncident(ctx, in.IncidentID, in.At)
}
