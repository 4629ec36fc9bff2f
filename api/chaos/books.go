package chaos

import (
	"context"
	"time"

	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/heal"
)

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
	Cell(ctx context.Context) (heal.TargetState, error)
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
