// Package chaos answers for chaos runs and for the health of the chaos target.
package chaos

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/verification"
)

// API answers every operation of this feature.
type API struct {
	Audits        httpapi.AuditStore
	CellURL       string
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
	CellShots(ctx context.Context, chaosID string) ([]verification.TargetShot, error)
}
