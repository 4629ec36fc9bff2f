// Package generation answers for texts that models write.
package generation

import (
	"context"
	"time"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/generation"
	"customerzero/internal/domain/post"
	"customerzero/internal/domain/treasury"
)

// API answers every operation of this feature.
type API struct {
	Chaos       ChaosStore
	Experiments ExperimentStore
	Generations Store
	Marks       httpapi.Marker
	Now         func() time.Time
	Posts       PostStore
	Runs        Runs
	Treasury    TreasuryStore
	Writers     []string
}

// ChaosStore keeps how the chaos target was broken, and how it was healed. *store.Chaos implements it.
type ChaosStore interface {
	LastChaos(ctx context.Context) (*chaos.Run, error) // nil: none yet
}

// ExperimentStore is the lab. *store.Experiments implements it. Experiments are named by their slug, by
// their number or by their ID, where key stands.
type ExperimentStore interface {
	ExperimentTotals(ctx context.Context) (experiment.Totals, error)
	Experiments(ctx context.Context, q experiment.Query) ([]experiment.Listed, int, error)
}

// Store keeps what models are asked, and what they write. *store.Generations implements it.
type Store interface {
	BeginGeneration(ctx context.Context, g generation.Generation, candidates []generation.Candidate, whom string) error
	EndGeneration(ctx context.Context, id string, at time.Time) error
	Generation(ctx context.Context, id string) (generation.Listed, error)
	League(ctx context.Context) (standings []generation.Standing, votes int, err error)
	Vote(ctx context.Context, v generation.Vote) error
}

// PostStore keeps posts and slots. *store.Posts implements it.
type PostStore interface {
	MonthUsage(ctx context.Context, month post.Month) (post.MonthUsage, error)
	SuccessSince(ctx context.Context, since time.Time) (published, failed int, err error)
}

// Runs starts flows and gives them orders. *client.Client implements it.
type Runs interface {
	AwaitGeneration(ctx context.Context, generationID, runID string) error
	StartGeneration(ctx context.Context, generationID string) (runID string, err error)
}

// TreasuryStore keeps what came in and went out. *store.Treasury implements it.
type TreasuryStore interface {
	Treasury(ctx context.Context, at time.Time) (treasury.Ledger, error)
}
