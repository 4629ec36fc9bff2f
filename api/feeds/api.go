// Package feeds answers programs that follow the product: RSS, JSON Feed and the sitemap.
package feeds

import (
	"context"

	"customerzero/api/httpapi"
	"customerzero/internal/domain/chaos"
	"customerzero/internal/domain/experiment"
	"customerzero/internal/domain/post"
)

// API answers every operation of this feature.
type API struct {
	Chaos       ChaosStore
	Experiments ExperimentStore
	Posts       PostStore
	Site        httpapi.Site
}

// ChaosStore keeps how the chaos target was broken, and how it was healed. *store.Chaos implements it.
type ChaosStore interface {
	ChaosRuns(ctx context.Context, f chaos.Filter, limit, offset int) ([]chaos.Run, int, error)
}

// ExperimentStore is the lab. *store.Experiments implements it. Experiments are named by their slug, by
// their number or by their ID, where key stands.
type ExperimentStore interface {
	Experiments(ctx context.Context, q experiment.Query) ([]experiment.Listed, int, error)
}

// PostStore keeps posts and slots. *store.Posts implements it.
type PostStore interface {
	PublishedPosts(ctx context.Context, limit, offset int) ([]post.Listed, int, error)
}
