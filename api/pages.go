package api

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"customerzero/api/experiments"
	"customerzero/api/httpapi"
	"customerzero/api/runs"
	"customerzero/internal/domain/problem"
)

// appPages are the paths of ui/src/routes.tsx without an ID.
var appPages = []string{
	"account", "agent-demo", "ai-pricing", "ai-verification", "auth/claim", "auth/signin", "bot", "bot-operations", "bot-posts",
	"chaos-monkey", "credentials", "dashboard", "docs", "experiments", "members", "pricing", "pricing/cancelled", "pricing/success",
	"privacy", "runs", "scheduler", "terms", "treasury", "tweet-generator", "unsubscribe",
}

// pagesWithID are the paths of ui/src/routes.tsx that end in an ID. Each returns an error if there is nothing with the ID
// that the caller may see.
var pagesWithID = map[string]func(ctx context.Context, s *Server, id, runID string) error{
	"experiments/": func(ctx context.Context, s *Server, slug, _ string) error {
		_, err := (&experiments.API{Deps: s.Deps}).GetExperiment(ctx, &experiments.BySlug{Slug: slug})
		return err
	},
	"chaos-monkey/runs/": func(ctx context.Context, s *Server, id, _ string) error {
		_, err := s.Chaos.ChaosRun(ctx, id)
		return err
	},
	"ai-verification/runs/": func(ctx context.Context, s *Server, id, _ string) error {
		_, err := s.Verifications.Verification(ctx, id)
		return err
	},
	"receipts/": func(ctx context.Context, s *Server, id, _ string) error {
		_, err := s.Checkouts.Receipt(ctx, id)
		return err
	},
	"runs/": func(ctx context.Context, s *Server, id, runID string) error {
		_, err := (&runs.API{Deps: s.Deps}).Find(ctx, id, runID)
		return err
	},
}

// findWait bounds the search, because the page shows the reason if its data cannot be loaded.
const findWait = 2 * time.Second

// isPage reports whether the app has a page at this path. Like the app, it ignores the case of paths.
func (s *Server) isPage(c *gin.Context, name string) bool {
	if slices.Contains(appPages, strings.ToLower(name)) {
		return true
	}
	dir, id := path.Split(name)
	find, ok := pagesWithID[strings.ToLower(dir)]
	if !ok {
		return false
	}
	who, err := s.identify(c)
	if err != nil { // the page shows it
		return true
	}
	ctx, cancel := context.WithTimeout(httpapi.WithCaller(c.Request.Context(), who), findWait)
	defer cancel()
	err = find(ctx, s, id, c.Query("run"))
	return err == nil || problem.CodeOf(err) != problem.NotFound
}
