// Package experiments answers for experiments, votes and notes.
package experiments

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/experiment"
)

// API answers every operation of this feature.
type API struct {
	Audits      httpapi.AuditStore
	Experiments Store
	Marks       httpapi.Marker
	Now         func() time.Time
	Review      experiment.Review
	Runs        Runs
}

// Runs starts flows and gives them orders. *client.Client implements it.
type Runs interface {
	// NotifyExperiment starts the flow of an experiment that became active, or tells the one there
	// is that its row has changed. Safe to repeat.
	NotifyExperiment(ctx context.Context, experimentID string) error
}
