// Package chaos answers for chaos runs and for the health of the chaos target.
package chaos

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
	"customerzero/internal/domain/verification"
)

// API answers every operation of this feature.
type API struct {
	Audits        httpapi.AuditStore
	TargetURL     string
	Chaos         Store
	ChaosLease    time.Duration
	Faults        []chaos.Fault
	Marks         httpapi.Marker
	Now           func() time.Time
	Runs          Runs
	Verifications VerificationStore
	Meters        *httpapi.Meters
	Stopping      func() <-chan struct{} // closed when this process stops
}

// Runs starts flows and gives them orders. *client.Client implements it.
type Runs interface {
	// CheckHistory replays the history of a run with the code of today, and writes down what
	// came of it.
	CheckHistory(ctx context.Context, workflowID, runID string) (chaos.HistoryCheck, error)
	StartChaos(ctx context.Context, chaosID string) (runID string, err error)
	// StopChaos takes the fault that is there back. It is no failure when there is none.
	StopChaos(ctx context.Context) error
}

// VerificationStore keeps what was seen of our own pages. *store.Verifications implements it.
type VerificationStore interface {
	ChaosScreenshots(ctx context.Context, chaosID string) ([]verification.TargetScreenshot, error)
}

// Store keeps how the chaos target was broken, and how it was healed. *store.Chaos implements it.
type Store interface {
	IncidentStore
	// RequestChaos writes a run down, unless something refuses it: then nothing is used up.
	RequestChaos(ctx context.Context, r chaos.Run, visitor string) error
	ChaosRun(ctx context.Context, id string) (chaos.Run, error)
	ChaosRuns(ctx context.Context, f chaos.Filter, limit, offset int) ([]chaos.Run, int, error)
	EachChaosRun(ctx context.Context, each func(chaos.Run) error) error
	EndedChaosSince(ctx context.Context, since time.Time) ([]chaos.Run, error)
	OpenChaos(ctx context.Context) (*chaos.Run, error) // nil: none
	LastChaos(ctx context.Context) (*chaos.Run, error) // nil: none yet
	ReplaysOf(ctx context.Context, id string) ([]string, error)
	ChaosParts(ctx context.Context, id string) ([]chaos.Part, error)
	HistoryCheck(ctx context.Context, workflowID, runID string) (*chaos.HistoryCheck, error) // nil: never
	SetChaosSwitch(ctx context.Context, on bool, by, reason string, at time.Time) (was, is chaos.KillSwitch, err error)
}

// IncidentStore keeps what the healer saw and did.
type IncidentStore interface {
	TargetState(ctx context.Context) (heal.TargetState, error)
	Incidents(ctx context.Context, limit, offset int) ([]heal.Incident, int, error)
	OpenIncident(ctx context.Context) (*heal.Incident, error)                       // nil: none
	IncidentDuring(ctx context.Context, from, to time.Time) (*heal.Incident, error) // nil: none
	ChaosDuring(ctx context.Context, from, to time.Time) (*chaos.Run, error)        // nil: none
}

// ChaosFlows starts chaos, ends it, and looks at what it left.
type ChaosFlows interface {
	StartChaos(ctx context.Context, chaosID string) (runID string, err error)
	// StopChaos takes the fault that is there back. It is no failure when there is none.
	StopChaos(ctx context.Context) error
	// CheckHistory replays the history of a run with the code of today, and writes down what
	// came of it.
	CheckHistory(ctx context.Context, workflowID, runID string) (chaos.HistoryCheck, error)
}
